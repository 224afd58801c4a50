package document

import (
	"equiproof/verify/canonical"
	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

const wishesMark = "equiproof-wishes"

// wishesFile is a file of wishes.
type wishesFile struct {
	Mark
	Wishes *canonical.Object `field:"wishes"`
}

var (
	wishesTable = canonical.TableOf[wishesFile](wishesMark)
	wishTable   = canonical.TableOf[spec.Wish]("Wish")
)

// ReadWishes reads what an applicant does not want to change, in any spelling of JSON. A feature that stands there twice is
// refused: the wish that is lost could be the narrower one. Twin of verifier/wishes.py.
func ReadWishes(data []byte, where string) (*spec.Wishes, error) {
	file, err := Read(data, wishesTable, wishesMark, where)
	if err != nil {
		return nil, err
	}
	if file.Wishes.Repeated() {
		return nil, verdict.New(verdict.Malformed, "repeated-name", tables.Say("format.name_twice", where))
	}
	wishes := &spec.Wishes{Names: file.Wishes.Names(), Of: map[string]*spec.Wish{}}
	for _, name := range wishes.Names {
		wishes.Of[name] = wishTable.Fields(file.Wishes.Get(name))
	}
	return wishes, nil
}
