package policy

// Check is a check that a verification makes or leaves open, in words.
type Check string

// The checks that a certificate may need.
const (
	AboutCommitment Check = "that the owner shows this model to everybody: this commitment came with the certificate itself " +
		"(take it from a public place: --commitment, or compare its 64 digits: --model-commitment)"
	AboutKey Check = "that nobody forged the proof: this key came with the certificate itself, and whoever made the file may " +
		"have made the key, and could forge (name keys that you trust: --keys, or one key's 64 digits: --key-fingerprint)"
	AboutQuery      Check = "that the certificate is about your own data (give the query file: --query)"
	AboutFoundQuery Check = "that the data it is about are your own: they came with the certificate itself " +
		"(compare each value)"
	AboutContext Check = "that it was made for this application: nonce, policy and date (give the context file: " +
		"--context)"
	AboutFoundContext Check = "that it was made for this application: the context came with the certificate itself " +
		"(compare its texts with your letter, or give your own: --context)"
	AboutRadius Check = "that the radius is large enough for you (give a minimum: --min-radius)"
	AboutGain   Check = "that the gain is large enough for you (give a minimum: --min-gain)"
	AboutGainOf Check = "that it is about the label and the values that you have in mind (name them: --label, --first and " +
		"--second)"
	AboutUnit   Check = "that the gain's unit is right: the owner states how the model's numbers become log odds"
	AboutRanges Check = "that the spec's ranges include everybody you have in mind (name your ranges: --ranges-within, " +
		"or accept none: --no-ranges)"
	AboutTranscript Check = "that the transcript of the key's set-up was checked (--transcript, or --signed-by)"
	AboutSame       Check = "that the owner shows the same commitment to everybody"
	AboutLog        Check = "that the certificate is in a public log: a log proof came with it, and was not checked"
	AboutSetup      Check = "that proofs under this key cannot be forged: a single party ran its set-up"
)

// Covered is checks that a policy makes.
type Covered map[Check]bool

func covering(checks ...Check) Covered {
	covered := Covered{}
	for _, check := range checks {
		covered[check] = true
	}
	return covered
}
