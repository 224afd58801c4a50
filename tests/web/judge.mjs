// The vectors' cases through the package, in Node and in browsers: `bytes` reads hexadecimal digits, `hex` writes them.
export const judge = (product, bytes, hex) => {
  const policies = {
    query: ({ query }) => new product.ForQuery(product.parseQuery(query, "query.json")),
    context: ({ context }) => new product.ForContext(product.parseContext(context, "context.json")),
    context_has: ({ context }, texts) =>
      new product.ContextHas(product.parseContext(context, "context.json"), new Map(Object.entries(texts))),
    not_older: ({ context }, [days, today]) =>
      new product.NotOlderThan(product.parseContext(context, "context.json"), days, today),
    min_radius: (_, text) => new product.MinRadius(text),
    transcript: (_, digest) => new product.TranscriptIs(digest),
    signed_by: (_, [keys, least]) => new product.SignedBy(keys, least),
    setup: (_, kind) => new product.SetupIs(kind),
    key: (_, name) => new product.KeyIs(name),
    link_key: (_, name) => new product.LinkKeyIs(name),
    link_transcript: (_, digest) => new product.LinkTranscriptIs(digest),
    model: (_, name) => new product.ModelIs(name),
    proof_system: (_, name) => new product.ProofSystemIs(name),
    covers: (_, names) => new product.CoversFeatures(names),
    log: (_, [terms, proof, now]) => new product.Logged(terms, bytes(proof), now),
    no_ranges: () => new product.NoRanges(),
    min_gain: (_, text) => new product.MinGain(text),
    gain_of: (_, [label, first, second]) => new product.GainOf(label, first, second),
    all_of: (files, parts) => new product.AllOf(...parts.map((part) => policyOf(files, part))),
    any_of: (files, parts) => new product.AnyOf(...parts.map((part) => policyOf(files, part))),
  };

  const policyOf = (files, demands) => {
    const wanted = Object.entries(demands).filter(([, value]) => value !== false);
    const made = wanted.map(([name, value]) => policies[name](files, value));
    return made.length ? new product.AllOf(...made) : new product.UnsafeNoPolicy();
  };

  // Files as a relying party holds them.
  const filesOf = (files) => Object.fromEntries(Object.entries(files).map(([name, data]) => [name, bytes(data)]));
  const keysOf = (read) => {
    const folders = Object.keys(read).filter((name) => /^keys\/[^./][^/]*\/key\.json$/.test(name)).sort();
    return folders.map((name) => {
      const folder = name.slice(0, -"/key.json".length);
      const [verifying, signatures] = ["verifying.key", "signatures.note"].map((file) => read[`${folder}/${file}`]);
      return { name: folder, document: read[name], verifying, signatures };
    });
  };
  // The caller's bytes are read and never written.
  const unchanged = (files, read) => {
    for (const [name, data] of Object.entries(files)) if (hex(read[name]) !== data) throw new Error(name);
  };

  // Read in the order in which the other verifiers read them.
  const judged = ({ files, policy }) => {
    const read = filesOf(files);
    const certificate = product.parseCertificate(read["certificate.json"], "certificate.json");
    const commitment = product.parseCommitment(read["commitment.json"], "commitment.json");
    const verifier = new product.Verifier(commitment, new product.TrustStore(keysOf(read)));
    const given = { query: read["query.json"], context: read["context.json"] };
    const verified = verifier.verify(certificate, policyOf(given, policy));
    const { identity, sentence, made, notMade } = verified;
    const intervals = policy.query && Object.fromEntries(product.intervalsOf(verified, product.parseQuery(given.query)));
    unchanged(files, read);
    return { identity, sentence, made, notMade, intervals };
  };

  const gained = ({ files, policy }) => {
    const read = filesOf(files);
    const certificate = product.parseGain(read["gain.json"], "gain.json");
    const commitment = product.parseCommitment(read["commitment.json"], "commitment.json");
    const verifier = new product.GainVerifier(commitment, new product.TrustStore(keysOf(read)));
    const given = { query: read["query.json"], context: read["context.json"] };
    const { identity, sentence, made, notMade } = verifier.verify(certificate, policyOf(given, policy));
    unchanged(files, read);
    return { identity, sentence, made, notMade };
  };

  // A certificate of a kept model, or of its gains, beside its link; commitment and keys are pinned, or came.
  const linked = ({ files, policy, pinned: [commitment, key] }) => {
    const read = filesOf(files);
    const ofKey = (name, verifying, signatures) => read[name] === undefined ? [] : [{
      document: read[name], verifying: read[verifying], signatures: read[signatures],
    }];
    const gain = read["gain.json"];
    const certificate = gain
      ? product.parseGain(gain, "certificate")
      : product.parseCertificate(read["certificate.json"], "certificate");
    const committed = product.parseCommitment(read["commitment.json"], "commitment.json");
    const link = read["link.json"] && product.parseLink(read["link.json"], "link.json");
    const keys = new product.TrustStore(
      ofKey("key.json", "verifying.key", "signatures.note"),
      ofKey("link-key.json", "link-verifying.key", "link-signatures.note"),
    );
    const verifier = gain
      ? new product.GainVerifier(committed, keys, link)
      : new product.Verifier(committed, keys, { commitment, key }, link);
    const given = { query: read["query.json"], context: read["context.json"] };
    const { identity, sentence, made, notMade } = verifier.verify(certificate, policyOf(given, policy));
    unchanged(files, read);
    return { identity, sentence, made, notMade };
  };

  // A certificate about the box that is opened beside it, where one is given, and a label.
  const boxed = ({ files, policy, label, dated: by, within }) => {
    const read = filesOf(files);
    const certificate = product.parseBox(read["box.json"], "box.json");
    const commitment = product.parseCommitment(read["commitment.json"], "commitment.json");
    const opened = read["opened.json"] && product.parseOpenedBox(read["opened.json"], "opened.json");
    const given = { query: read["query.json"], context: read["context.json"] };
    const verifier = new product.BoxVerifier(commitment, new product.TrustStore(keysOf(read)));
    const dated = by && new product.BoxDated(by[0], bytes(by[1]), by[2]);
    const refusal = read["refusal.json"] && {
      within,
      wishes: read["wishes.json"] && product.parseWishes(read["wishes.json"], "wishes.json"),
      certificate: product.parseCertificate(read["refusal.json"], "refusal.json"),
      query: product.parseQuery(read["query.json"], "query.json"),
    };
    const verified = verifier.verify(certificate, policyOf(given, policy), { opened, label, dated, refusal });
    const { identity, sentence, reading, made, notMade, ends, answer } = verified;
    unchanged(files, read);
    return { identity, sentence, reading, made, notMade, ends: ends && Object.fromEntries(ends), answer };
  };

  // A bundle as a page gets it: bytes, and what the reader has from elsewhere.
  const bundled = ({ data, own, policy }) => {
    const commitment = own.commitment && product.parseCommitment(bytes(own.commitment), "commitment.json");
    const filesOfKey = ({ document, verifying }) => ({ document: bytes(document), verifying: bytes(verifying) });
    const keys = own.keys && new product.TrustStore(own.keys.map(filesOfKey), own.linkKeys?.map(filesOfKey));
    const link = own.link && product.parseLink(bytes(own.link), "link.json");
    const verified = product.verifyBundle(bytes(data), { commitment, keys, link }, policyOf({}, policy));
    const { identity, pins, made, notMade } = verified;
    // The one file for pages that verify certificates only leaves a recourse to the module of boxes.
    const recourse = product.verifyRecourse?.(product.openBundle(bytes(data)), verified, { commitment, keys }).map(
      ({ name, isNone, verified: { answer, made, notMade, pins } }) => ({ name, isNone, answer, made, notMade, pins }),
    );
    return { identity, pins, made, notMade, ...(recourse?.length ? { recourse } : {}) };
  };

  return {
    bundle: bundled,
    files: ({ data }) => [...product.openBundle(bytes(data)).files].map(([name, content]) => [name, content.length]),
    proof: ({ key, digest, proof, system }) => {
      if (system === "plonk-bn254") new product.PlonkVerifyingKey(bytes(key)).verify(bytes(digest), bytes(proof));
      else product.verifyProof(bytes(key), bytes(digest), bytes(proof));
    },
    certificate: judged,
    gain: gained,
    linked,
    box: boxed,
    // A policy file about a published certificate, for somebody who has its query and its context, or not.
    policy: ({ files, data, own }) => {
      const read = filesOf(files);
      const query = own ? product.parseQuery(read["query.json"]) : undefined;
      const context = own ? product.parseContext(read["context.json"]) : undefined;
      const policy = product.parsePolicy(bytes(data), "policy.json", { query, context, today: own?.today });
      const keys = [{ document: read["keys/key/key.json"], verifying: read["keys/key/verifying.key"] }];
      const { made } = product.verify({ certificate: read["certificate.json"], commitment: read["commitment.json"], keys }, policy);
      return made;
    },
    // A context has texts alone, which are told; other documents are more than JSON.
    read: ({ kind, data }) => {
      const document = product[kind](bytes(data), kind);
      return kind === "parseContext" ? Object.fromEntries(document) : undefined;
    },
  };
};
