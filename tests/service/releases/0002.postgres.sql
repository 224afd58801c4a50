SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.trail_pruned() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
if old.number > (select coalesce(max(cast(about as bigint)), 0) from trail where act = 'prune')
then raise exception 'trail: lines are only added'; end if;
return old;
end $$;
CREATE FUNCTION public.trail_refused() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin raise exception 'trail: lines are only added'; end $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.allowances (
    id bigint NOT NULL,
    decision_id character varying(32) NOT NULL,
    reason text NOT NULL,
    name character varying(128) NOT NULL,
    at bigint NOT NULL
);
CREATE SEQUENCE public.allowances_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.allowances_id_seq OWNED BY public.allowances.id;
CREATE TABLE public.api_keys (
    id character varying(16) NOT NULL,
    client character varying(32) NOT NULL,
    hash character varying(64) NOT NULL,
    scopes character varying(64) NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL,
    revoked bigint
);
CREATE TABLE public.certificates (
    decision_id character varying(32) NOT NULL,
    body bytea NOT NULL,
    key_fingerprint character varying(64) NOT NULL,
    radius_squared character varying(64) NOT NULL,
    made bigint NOT NULL,
    entry bigint,
    proof bytea
);
CREATE TABLE public.corrections (
    decision_id character varying(32) NOT NULL,
    second_id character varying(32) NOT NULL,
    asked character varying(10) NOT NULL,
    request text NOT NULL,
    changed text NOT NULL,
    name character varying(128) NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.decisions (
    id character varying(32) NOT NULL,
    client character varying(32) NOT NULL,
    reference character varying(128),
    model_id character varying(32) NOT NULL,
    state character varying(16) NOT NULL,
    label integer,
    received bigint NOT NULL,
    query_commitment character varying(64) NOT NULL,
    receipt character varying(64) NOT NULL,
    sealed bytea,
    erased bigint,
    request character varying(16),
    trace character varying(55),
    CONSTRAINT ck_decisions_state CHECK (((state)::text = ANY ((ARRAY['decided'::character varying, 'certifying'::character varying, 'certified'::character varying, 'review'::character varying, 'undecided'::character varying, 'failed'::character varying])::text[])))
);
CREATE TABLE public.erasures (
    decision_id character varying(32) NOT NULL,
    reason text NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.findings (
    decision_id character varying(32) NOT NULL,
    sealed bytea,
    made bigint NOT NULL
);
CREATE TABLE public.heartbeats (
    name character varying(128) NOT NULL,
    started bigint NOT NULL,
    beat bigint NOT NULL,
    starved integer
);
CREATE TABLE public.holds (
    id bigint NOT NULL,
    decision_id character varying(32) NOT NULL,
    until bigint NOT NULL,
    reason text NOT NULL,
    at bigint NOT NULL
);
CREATE SEQUENCE public.holds_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.holds_id_seq OWNED BY public.holds.id;
CREATE TABLE public.key_steps (
    hash character varying(64) NOT NULL,
    officer_id character varying(32) NOT NULL,
    purpose character varying(8) NOT NULL,
    challenge character varying(64) NOT NULL,
    "then" character varying(200) NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE public.letters (
    decision_id character varying(32) NOT NULL,
    language character varying(8) NOT NULL,
    sealed bytea,
    digest character varying(64) NOT NULL,
    made bigint NOT NULL
);
CREATE TABLE public.links (
    hash character varying(64) NOT NULL,
    decision_id character varying(32) NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL,
    revoked bigint
);
CREATE TABLE public.log_proofs (
    decision_id character varying(32) NOT NULL,
    entry bigint NOT NULL,
    body bytea,
    at bigint NOT NULL
);
CREATE TABLE public.logins (
    hash character varying(64) NOT NULL,
    officer_id character varying(32) NOT NULL,
    csrf character varying(64) NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE public.models (
    id character varying(32) NOT NULL,
    name character varying(64) NOT NULL,
    commitment character varying(64) NOT NULL,
    opening text NOT NULL,
    keys text NOT NULL,
    max_seconds double precision NOT NULL,
    created bigint NOT NULL,
    retired bigint,
    entry bigint,
    proof bytea,
    proven bigint
);
CREATE TABLE public.officer_keys (
    hash character varying(64) NOT NULL,
    officer_id character varying(32) NOT NULL,
    name character varying(64) NOT NULL,
    credential bytea NOT NULL,
    public_key bytea NOT NULL,
    count bigint NOT NULL,
    added bigint NOT NULL
);
CREATE TABLE public.officers (
    id character varying(32) NOT NULL,
    name character varying(128) NOT NULL,
    password character varying(200) NOT NULL,
    role character varying(16) NOT NULL,
    created bigint NOT NULL,
    disabled bigint,
    issuer character varying(200),
    subject character varying(255)
);
CREATE TABLE public.outbox (
    id bigint NOT NULL,
    kind character varying(16) NOT NULL,
    decision_id character varying(32) NOT NULL,
    target character varying(64) NOT NULL,
    body bytea NOT NULL,
    created bigint NOT NULL,
    due bigint NOT NULL,
    attempts integer NOT NULL,
    done bigint
);
CREATE SEQUENCE public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.outbox_id_seq OWNED BY public.outbox.id;
CREATE TABLE public.overrides (
    id bigint NOT NULL,
    decision_id character varying(32) NOT NULL,
    label integer NOT NULL,
    reason text NOT NULL,
    name character varying(128) NOT NULL,
    at bigint NOT NULL,
    channel character varying(16),
    actor character varying(32)
);
CREATE SEQUENCE public.overrides_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.overrides_id_seq OWNED BY public.overrides.id;
CREATE TABLE public.persons (
    decision_id character varying(32) NOT NULL,
    digest character varying(64) NOT NULL,
    sealed bytea,
    at bigint NOT NULL,
    refused integer NOT NULL,
    refused_at bigint
);
CREATE TABLE public.process_numbers (
    name character varying(128) NOT NULL,
    seen bigint NOT NULL,
    numbers text NOT NULL
);
CREATE TABLE public.requests (
    client character varying(32) NOT NULL,
    key character varying(128) NOT NULL,
    digest character varying(64) NOT NULL,
    created bigint NOT NULL,
    status integer NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE public.schema_version (
    "least" character varying(32) NOT NULL
);
CREATE TABLE public.sign_ons (
    hash character varying(64) NOT NULL,
    state character varying(64) NOT NULL,
    nonce character varying(64) NOT NULL,
    verifier character varying(64) NOT NULL,
    "then" character varying(200) NOT NULL,
    language character varying(2) NOT NULL,
    before character varying(64) NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE public.trail (
    number bigint NOT NULL,
    at bigint NOT NULL,
    act character varying(32) NOT NULL,
    channel character varying(16) NOT NULL,
    actor character varying(64) NOT NULL,
    about character varying(64) NOT NULL,
    detail character varying(200) NOT NULL,
    address character varying(32) NOT NULL,
    before character varying(64) NOT NULL,
    hash character varying(64) NOT NULL
);
CREATE TABLE public.transitions (
    id bigint NOT NULL,
    decision_id character varying(32) NOT NULL,
    number integer NOT NULL,
    state character varying(16) NOT NULL,
    at bigint NOT NULL,
    reason character varying(200) NOT NULL
);
CREATE SEQUENCE public.transitions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.transitions_id_seq OWNED BY public.transitions.id;
ALTER TABLE ONLY public.allowances ALTER COLUMN id SET DEFAULT nextval('public.allowances_id_seq'::regclass);
ALTER TABLE ONLY public.holds ALTER COLUMN id SET DEFAULT nextval('public.holds_id_seq'::regclass);
ALTER TABLE ONLY public.outbox ALTER COLUMN id SET DEFAULT nextval('public.outbox_id_seq'::regclass);
ALTER TABLE ONLY public.overrides ALTER COLUMN id SET DEFAULT nextval('public.overrides_id_seq'::regclass);
ALTER TABLE ONLY public.transitions ALTER COLUMN id SET DEFAULT nextval('public.transitions_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0002');
INSERT INTO public.allowances VALUES (1, '62ffc5d83a7dd003d88c76e358746c90', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('7e00c8a5d7872deb', 'bank', '2be452e878d4ebf6a0a64cb30a21ddbfe57e385614a6cc3ece17cc6a523fe27c', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('62ffc5d83a7dd003d88c76e358746c90', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303237346535343235353536386132313136333736613338303762343163306133396537336130623065303463313566396430643036653434366463316138222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2231623538363733376638616261633930303638366431306636316230353265323438393234363661396230336133363463306261363763613939336436393835222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.corrections VALUES ('62ffc5d83a7dd003d88c76e358746c90', '62ffc5d83a7dd003d88c76e358746c90', '0000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.decisions VALUES ('96c13106ecf54f160bbb0b5ee06344a3', 'bank', 'second', '56a3bfb703063b5f3d494e0dcc83e0b4', 'review', NULL, 1790000000000006, '1e86f0fde6e5814fa0434d3ece738436648a91a10a6732aa74449eb1a5155360', '3d423a20ffcc1a8ac49006ce4b2d8aaf4420e2e357c7327330a20d613e5b3f2e', '\x0772656c6561736575a45fcd90390e6570b3d71e4b2d83c651042955ea64e339b2ebf7179cff8733d030844c0522a8cf4bf491e028e142a56b6df31c35681ac3a347c884cbb2ec62f7bef923b85b139ed26df27c45cd9231ef5b7a1462b5a6e63a97f254257bfc8e142baa7c485dcff971ebd5bda71a348b5abb2694e723e790fbc33641055387e66e4990ce5da1916fcc036866cd12a1dbb6c63b173cce45689ea4413e6a1dd43483098128c48898c8d7d15530220b4a68a18ab6b5b07e5c5df8872eef0c64d290a9288ccda1e4254704b3764ff5f40df39138d479b0249ce1ec94579afd32da6b9a9c70b04c354036c542a306c45f70093b8001c5ac2602be5d1492bf577148783d445ef40242a0f3808e78f093631702ec4af42cabd0acf6407abb85cd245b467c7c0d6fcfe555769ca48b397d478a9ea02c5f68e2f8e44e4f107628942235fb86d85cb7659ec829a3eff745126f3d486c5e068de955240d8436a4f4adbb0c60b35dc9a006cbb52ac71be52391c8b07a3a396c114de3b048b49e8b1ca3d7ec2bac85d993da97e42302be6645c292a25555cece5d8e4a1469a2222c769f22791ccdb60339b0f521118a94a376636ace70975dceb7427e9c260f924acc705a3d3e3eaf611a78afdbc648bfaab8e8ac08d35de4d2101f1a4f656acf3d2df248b60d99b0e4b24c70aba041b6bd8907a26ac50c8807b3782c6934916661f1ac30b6fbe74b554e68559e07d9118769626cc38dda5a66e9aa927ce15b5cf7bab857ff0c5b4916cbd930e153317eb1642f5dc64b1a59f26f5d5b7a8f98be041a4e8d114e3276cab6c560eabe8df350f7e280d2a04a6f49b362454a255e2c68898994ad7bcbd9efa7c4c689a0fff5410ea971b3f80a0957b335ddbe5b7b291445e8d1d3286cd1e52c24488b4386bd17df38129b7877ee500780c197702a1272dbee4513dd636f68da1a68ac7046a1a591ffa12fee33c98d1dc1142731364dbe0be914a6565e3cebd2f183ac681efc41cb07471bd11ca4c96ea9099d53ce336966f4e35f8cbfa31b2fe8407839c9c7c60f2a9c5de0e237bf', NULL, '56cbf6e0e741a720', NULL);
INSERT INTO public.decisions VALUES ('62ffc5d83a7dd003d88c76e358746c90', 'bank', 'first', '56a3bfb703063b5f3d494e0dcc83e0b4', 'certified', 1, 1790000000000004, '1b586737f8abac900686d10f61b052e24892466a9b03a364c0ba67ca993d6985', 'abf4ad64df52217db67ea600abab3b51047fcd24dd9cdb62257abae8bc824765', '\x0772656c656173651782c081ff151dc403b778c91f07afab2b1c4c14d3e8a93a13c970318eec462de963cdc132a25acf2ab9fc1abbc8b41a4107ad1e612b5d7d857bd04746727e9d5feb93e2292dbe61dfd636b40849e028a4840eb5b3f6970abfdea7c6c8bb2f2ba2d3a2ddbaf21ff774e881b0456e450d18e6dd052d9be0e0b5503a4afb44fe10e53d128c2f05efad6e849424be7fd3c99456368ae9a202263fbe2868eb8d0790986d1ee89edb4d8267983de02c1d229f25a3ce52abbff3f2abdf3ba3578940df6ee2954442914e43f8447e8b34ff2dae8cb85d2f628d44b97cece6766595a3b03e522cf26ccc2e481a631331eeaf0f6f040e1a0656bf54ab7428cd9ff6fcbf6819813aa4dbaf5c41c86d39dcd19bc9b3c02b49a2cf229b5d3a5f20dfe7eee369b6ecf396f92de1954bfe4327a6395e35eab1fe30a347992ef075af2efdea9b7f354169b91acd6fb4c1778d19c92caa039270fef086034f8781a5f0f05bb1275b9bd0fe2f3edd8922b54bbeffc1d3e1b3d606a978cd37d5ff20c8e717ce41af261d3306cd839ea958f67a09f27fc4bfabd50b35736fce74b544c39eae1f4086c783c81a9000c933f5100a6fd0df0bf4a75c0449b4941b9aa37e45269c5a30a41fa9673be032b170b628aea6f56b5a11b514837a9d351bc1fd28d2d58b5e05ad7c65b2c2e4e7cf933792a2a56812fb1fc045f55981c7fb952f26e70437fe3f621d1ef36232eb2d82c2becbfd19d960da0996215e29867c5a2e7ff168f603e7c268f7b04e6502401adc1de34f58e43e38116023fed607874e63145654c645e204905c84fbbae6c9885450371327adb3f609751ebec194a9c92b385a1615d2762b372bfe0a422dcae4dfb4750d54a0edfa0d32dcb1a4c71806c91f2660b91611cd84245e3c257ba961a8fbc21905fe89ac8f6494b9a53e6a4b336f1e9c8e4ef5753f39961aa5d10fbf1424bd1b6eac9b6eeac99fb78e226893cb40d609b4bb72e0ce600321945e7e56959af3517538126718a03634f46bff201b4e92d9f191b9d8344ea04cf533ff4db78374464bace2', NULL, 'f12c380fb1733b90', NULL);
INSERT INTO public.erasures VALUES ('62ffc5d83a7dd003d88c76e358746c90', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('96c13106ecf54f160bbb0b5ee06344a3', '\x0772656c65617365a78368c8d47f4a8d9742336688840652042fccafbd9f16782539357b0a8c73394767f43bae5a54870e11e13c2823e48866f4503f9079a1525d866ad3650a512767966ce142d17ab3f4fcf46e66f2c8deaf3d61e949cd4382ed36accecccceb368bb14f32538fadce2346ff57f0f3247d8a1a2d306b8273', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1);
INSERT INTO public.holds VALUES (1, '62ffc5d83a7dd003d88c76e358746c90', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.key_steps VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('62ffc5d83a7dd003d88c76e358746c90', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '62ffc5d83a7dd003d88c76e358746c90', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('62ffc5d83a7dd003d88c76e358746c90', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('56a3bfb703063b5f3d494e0dcc83e0b4', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officer_keys VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '\x7365616c6564', '\x7365616c6564', 1, 1);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1, '00000000000000000000000000000000', '00000000000000000000000000000000');
INSERT INTO public.outbox VALUES (1, 'receipt', '62ffc5d83a7dd003d88c76e358746c90', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2261626634616436346466353232313764623637656136303061626162336235313034376663643234646439636462363232353761626165386263383234373635222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '96c13106ecf54f160bbb0b5ee06344a3', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2233643432336132306666636331613861633439303036636534623264386161663434323065326533353763373332373333306132306436313365356233663265222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '62ffc5d83a7dd003d88c76e358746c90', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('62ffc5d83a7dd003d88c76e358746c90', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.process_numbers VALUES ('00000000000000000000000000000000', 1, '00000000000000000000000000000000');
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', 'f3f07bcf28f3f910a717b41bc62fb5a08a6cd034d9b0cce0686615472bb47375', 1790000000000004, 201, '\x7b226964223a223632666663356438336137646430303364383863373665333538373436633930222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2261626634616436346466353232313764623637656136303061626162336235313034376663643234646439636462363232353761626165386263383234373635222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', '03f0da789569ade50d43dacc8f455651a7acd6f1e230b7da00db0bf6fa32e6b1', 1790000000000006, 201, '\x7b226964223a223936633133313036656366353466313630626262306235656530363334346133222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2233643432336132306666636331613861633439303036636534623264386161663434323065326533353763373332373333306132306436313365356233663265222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.sign_ons VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00', '00000000000000000000000000000000', 1);
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', '7e00c8a5d7872deb', '62ffc5d83a7dd003d88c76e358746c90', '', 'bd7c4ff3a55f30c173b756fc1da2c5d9', '0000000000000000000000000000000000000000000000000000000000000000', '54a3867d4a0d6b55cbca40b3736aef0600280c8a6284ac59f9af966e95b86e6d');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', '7e00c8a5d7872deb', '62ffc5d83a7dd003d88c76e358746c90', '', 'bd7c4ff3a55f30c173b756fc1da2c5d9', '54a3867d4a0d6b55cbca40b3736aef0600280c8a6284ac59f9af966e95b86e6d', '036811fa550bf4a9eff6321f19781e1badb2eb38b692b0dbad13739057dd2e46');
INSERT INTO public.transitions VALUES (1, '62ffc5d83a7dd003d88c76e358746c90', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '96c13106ecf54f160bbb0b5ee06344a3', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '62ffc5d83a7dd003d88c76e358746c90', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '62ffc5d83a7dd003d88c76e358746c90', 2, 'certified', 1790000000000008, '');
SELECT pg_catalog.setval('public.allowances_id_seq', 1, false);
SELECT pg_catalog.setval('public.holds_id_seq', 1, false);
SELECT pg_catalog.setval('public.outbox_id_seq', 2, true);
SELECT pg_catalog.setval('public.overrides_id_seq', 1, false);
SELECT pg_catalog.setval('public.transitions_id_seq', 4, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.allowances
    ADD CONSTRAINT pk_allowances PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT pk_api_keys PRIMARY KEY (id);
ALTER TABLE ONLY public.certificates
    ADD CONSTRAINT pk_certificates PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT pk_corrections PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT pk_decisions PRIMARY KEY (id);
ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT pk_erasures PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.findings
    ADD CONSTRAINT pk_findings PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.heartbeats
    ADD CONSTRAINT pk_heartbeats PRIMARY KEY (name);
ALTER TABLE ONLY public.holds
    ADD CONSTRAINT pk_holds PRIMARY KEY (id);
ALTER TABLE ONLY public.key_steps
    ADD CONSTRAINT pk_key_steps PRIMARY KEY (hash);
ALTER TABLE ONLY public.letters
    ADD CONSTRAINT pk_letters PRIMARY KEY (decision_id, language);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT pk_links PRIMARY KEY (hash);
ALTER TABLE ONLY public.log_proofs
    ADD CONSTRAINT pk_log_proofs PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.logins
    ADD CONSTRAINT pk_logins PRIMARY KEY (hash);
ALTER TABLE ONLY public.models
    ADD CONSTRAINT pk_models PRIMARY KEY (id);
ALTER TABLE ONLY public.officer_keys
    ADD CONSTRAINT pk_officer_keys PRIMARY KEY (hash);
ALTER TABLE ONLY public.officers
    ADD CONSTRAINT pk_officers PRIMARY KEY (id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT pk_outbox PRIMARY KEY (id);
ALTER TABLE ONLY public.overrides
    ADD CONSTRAINT pk_overrides PRIMARY KEY (id);
ALTER TABLE ONLY public.persons
    ADD CONSTRAINT pk_persons PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.process_numbers
    ADD CONSTRAINT pk_process_numbers PRIMARY KEY (name);
ALTER TABLE ONLY public.requests
    ADD CONSTRAINT pk_requests PRIMARY KEY (client, key);
ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT pk_schema_version PRIMARY KEY ("least");
ALTER TABLE ONLY public.sign_ons
    ADD CONSTRAINT pk_sign_ons PRIMARY KEY (hash);
ALTER TABLE ONLY public.trail
    ADD CONSTRAINT pk_trail PRIMARY KEY (number);
ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT pk_transitions PRIMARY KEY (id);
ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT uq_corrections_second_id UNIQUE (second_id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT uq_decisions_client_reference UNIQUE (client, reference);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT uq_decisions_receipt UNIQUE (receipt);
ALTER TABLE ONLY public.models
    ADD CONSTRAINT uq_models_commitment UNIQUE (commitment);
ALTER TABLE ONLY public.officers
    ADD CONSTRAINT uq_officers_issuer_subject UNIQUE (issuer, subject);
ALTER TABLE ONLY public.officers
    ADD CONSTRAINT uq_officers_name UNIQUE (name);
CREATE INDEX ix_allowances_decision_id ON public.allowances USING btree (decision_id);
CREATE INDEX ix_api_keys_client ON public.api_keys USING btree (client);
CREATE INDEX ix_decisions_client_received_id ON public.decisions USING btree (client, received, id);
CREATE INDEX ix_decisions_received_id ON public.decisions USING btree (received, id);
CREATE INDEX ix_decisions_state_received ON public.decisions USING btree (state, received);
CREATE INDEX ix_holds_decision_id ON public.holds USING btree (decision_id);
CREATE INDEX ix_key_steps_officer_id ON public.key_steps USING btree (officer_id);
CREATE INDEX ix_links_decision_id ON public.links USING btree (decision_id);
CREATE INDEX ix_log_proofs_at_entry ON public.log_proofs USING btree (at, entry) WHERE (body IS NULL);
CREATE INDEX ix_logins_officer_id ON public.logins USING btree (officer_id);
CREATE INDEX ix_models_name_retired ON public.models USING btree (name, retired);
CREATE INDEX ix_officer_keys_officer_id ON public.officer_keys USING btree (officer_id);
CREATE INDEX ix_outbox_decision_id ON public.outbox USING btree (decision_id);
CREATE INDEX ix_outbox_kind_id ON public.outbox USING btree (kind, id) WHERE (done IS NULL);
CREATE INDEX ix_overrides_decision_id ON public.overrides USING btree (decision_id);
CREATE INDEX ix_persons_digest_at ON public.persons USING btree (digest, at);
CREATE INDEX ix_persons_refused_at ON public.persons USING btree (refused_at) WHERE (refused_at IS NOT NULL);
CREATE INDEX ix_trail_about ON public.trail USING btree (about);
CREATE INDEX ix_trail_at ON public.trail USING btree (at);
CREATE UNIQUE INDEX ix_transitions_decision_id_number ON public.transitions USING btree (decision_id, number);
CREATE TRIGGER trail_emptied BEFORE TRUNCATE ON public.trail FOR EACH STATEMENT EXECUTE FUNCTION public.trail_refused();
CREATE TRIGGER trail_kept BEFORE DELETE ON public.trail FOR EACH ROW EXECUTE FUNCTION public.trail_pruned();
CREATE TRIGGER trail_unchanged BEFORE UPDATE ON public.trail FOR EACH ROW EXECUTE FUNCTION public.trail_refused();
ALTER TABLE ONLY public.allowances
    ADD CONSTRAINT fk_allowances_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.certificates
    ADD CONSTRAINT fk_certificates_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT fk_corrections_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT fk_corrections_second_id_decisions FOREIGN KEY (second_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT fk_decisions_model_id FOREIGN KEY (model_id) REFERENCES public.models(id);
ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT fk_erasures_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.findings
    ADD CONSTRAINT fk_findings_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.holds
    ADD CONSTRAINT fk_holds_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.key_steps
    ADD CONSTRAINT fk_key_steps_officer_id_officers FOREIGN KEY (officer_id) REFERENCES public.officers(id);
ALTER TABLE ONLY public.letters
    ADD CONSTRAINT fk_letters_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT fk_links_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.log_proofs
    ADD CONSTRAINT fk_log_proofs_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.logins
    ADD CONSTRAINT fk_logins_officer_id FOREIGN KEY (officer_id) REFERENCES public.officers(id);
ALTER TABLE ONLY public.officer_keys
    ADD CONSTRAINT fk_officer_keys_officer_id_officers FOREIGN KEY (officer_id) REFERENCES public.officers(id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT fk_outbox_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.overrides
    ADD CONSTRAINT fk_overrides_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.persons
    ADD CONSTRAINT fk_persons_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT fk_transitions_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
