"""FairProof's evaluation rebuilt: its six models, fair and unfair, with what it prints beside what is measured."""
