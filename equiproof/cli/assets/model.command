equiproof train --dataset lending --hidden 4,2 --out equiproof/cli/assets/model
