module equiproof/scripts/mutants

go 1.25.7
