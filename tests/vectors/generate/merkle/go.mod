module equiproof/tests/vectors/merkle

go 1.25

require github.com/transparency-dev/merkle v0.0.2
