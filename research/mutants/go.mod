module equiproof/research/mutants

go 1.25.7
