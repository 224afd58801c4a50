package trees

import "equiproof/gadget/bounded"

// Constant returns what the trees add that begin with a leaf.
func (r *Rows) Constant() bounded.Int { return r.constant }
