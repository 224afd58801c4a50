"""FairProof's evaluation rebuilt: its six models, fair and unfair, with printed and measured figures."""
