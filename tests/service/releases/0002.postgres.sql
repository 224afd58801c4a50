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
    ended integer,
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
CREATE TABLE public.officers (
    id character varying(32) NOT NULL,
    name character varying(128) NOT NULL,
    password character varying(200) NOT NULL,
    role character varying(16) NOT NULL,
    created bigint NOT NULL,
    disabled bigint
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
INSERT INTO public.allowances VALUES (1, '5a28e3431aae7b48d7fed0731566e88d', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('663b95bf378f6fc9', 'bank', '43f2a86b87cdcb504d8994316b84674c88901602feb442b5a33da2fec71d963e', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('5a28e3431aae7b48d7fed0731566e88d', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230306637366464316561306561646365646534333063326661613466333235666235623230373938353065653631323334653935623265363734373036653661222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2231363566313239383039313063313136626635373236316666373664653732636331396237616133323135653237346331386562646137323532323537376365222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.decisions VALUES ('95c85c99a7b9af1d73b31e26ea7827f0', 'bank', 'second', '33dfb3fb2ef4e355ee639e3e4cee6d4b', 'review', NULL, 1790000000000006, '06f7240bcb93e9ad22e3d58eacabb0f9c81ce5d8a90b1bf1e28d719f61e535e4', '134f96071ba3d2a5252e163b5d7b471991d7981ded632426a2e15549601fc0f7', '\x0772656c65617365a1a81c7345b019fae4fccd61d3ffe7daa17f899217d243252c16c0f18fd8f4bc557801fc6235107dd4a7716fbf4bb6955ce458ea8a28d7793e06982f4797c872ac228a4018e4d4b0375624fca2b21f469a0956a68bc0b26072c9bd0fd9a25e34aa2f5922f4f4b4c3f52532cca9b7b6f57338c7e53ec3535588f80f4bd071efeb18eb6afacc37af3c4f988d4d85c8b1cfb79ad02fcbd6a5b07d37832753945ae1fc3b778f7e3f99e49e3a0db85fd9d378533517e9e2713d635644b05cb3044d49851ada5c576ab393c88a0ee5bb51bf7ea189ff32aef381827bbef0b736626014812d12a201914e77ae417a2fdb5a2a11286786624dec191fa274aa0ae46c702eef22eaf70aa2c4c1aaf5daec49a78fcf35aef77eabb7caa81eae00e4e5948a40b6f5034472e6f88bf948dc516f64f5af237cc2913a338640a8319bc8e49b832aa658dc417b54a464015e887762f1e984c9e5b99680a8fcd31bf3f28d51e9ada625cdca4a50a2ab8ea7b51130b2e3c9c7c4501e6c132e2395cdcdb253e41e788784815d2a9423f0429637fccff18226652c03270cffdf12e899cb6f01d65695094df54209a7a9089bdfbc5dcfbdee1117cc0bc31bba49d566e9ef817a4d7eb1adeaef01aa117623bb148a3ecd061b3e4c97b03265b7d15d8d38c4957bd06506ee2758b3082e012d2179933815ee3d3ac01798a5e3d9e3cc1bdc257733a6d9c0994c449982ff48e5b33fe9f3a22b62ad85cfe10995227dadb24f4da27eb7c45778b53e6e1de6d80dad073524258233b34e6b292e089262126c474288467631fb898d381a447bc781eb23845041fb492827502f57f119617dbbfdcbe917cf31af9aeedbc2bdba748f5589ed2c58f2d5758faa3b62040fa97948757df34d4309a0e6f0c9a33305ffc31cb24a5ba5aaf906226d9d0cf80ee6ce83f14411540169c8f7c94d5fe2d8989200ca196838fa0df721ad6a882c4663433fb3b3332c89903776b615d7b68e443e1f76573f8a1249a72c1152ec202e9b87b519863042f2aea197e415c26240ca601b60f0eb8fbca82349af2423', NULL);
INSERT INTO public.decisions VALUES ('5a28e3431aae7b48d7fed0731566e88d', 'bank', 'first', '33dfb3fb2ef4e355ee639e3e4cee6d4b', 'certified', 1, 1790000000000004, '165f12980910c116bf57261ff76de72cc19b7aa3215e274c18ebda72522577ce', '1067e27422fa62c73d49827bd2248b1f3a1fa2fecea43159df1520f2aa068bd7', '\x0772656c656173657d72b7b8a3a26ed735277c5903c7563e41a69e41cb661174ae6f5f4f41117b0b08f7b3dae20c4ec8c741ff870572ae55c86cca3057ecdfe817b4d55d49a5cb767c4cc70d1de36887653105ef8dce5c8fcc7b96ce371688a2c4969d1943d4fd9b63b746a79783043dcab706543d2143b2e272bab67fa4e7bf75ae7c0b08bab5e2ef48a06470694f39ac2de4940916c16a926cfd444c42fc2767265e69d2cf3904973caea5a8107d93cb9d7018198f77ff9cd66441f5d2dc128bf3a36a1c25134394c93a2c4b19c6bd98e94890e5af3759e95fd44a08672315c59a5ecbe25627d207869ded365d97e61ff3e565c459c8a3a6f179adc8a8dd0bf5827f05a5cfa8cbc6bc44aef59d472bdef8ea06ecf5b2cb723e211cb9f49a8596d91f382f29adb38c0540b0f9cd48a583d282b72f724a384e0eda949405df0f1583792bfd4922177b1662f3ebf6807d56bd5872758bd86f3f660ead2db22e065980191e69e8668ef84dfee92ab25ef9f98bb96b0c3dbbd4ec42fcaf1e006e06c5454c0111cab935c1476b02f2ddc3277572960baa8f4b4f63f8441504b9124bc0633e2401828ff30c4fc3bacd757fa928f32795a185c74b9c2f5b9b7693be14a6c2083b6d0459b1255afea9593916e3900043520e0fff2a711d830f45f26908dbda6a24dc6d081c0036a10aeee8a8a10776df2aa6eb6f6dc6b487ec640fd3d101338a59d81f2ba90396779e441fe147ef7233637e93515d8ca53baa536d81114f5bb1a35b6e36296d24e3f0f8f2b5e493e40d1278110e123276d66981c4bb7a5cfb629f9b1f3a04417e7cac7fc35022a87611d59aef382a4167d6e90914178d67dda3f74a18837220d35b52b1f85756c7f0e9ef19b61ed0b2dda68c64bf3f2f5519b355fe4d286ca84bab8454a3c4ba633e4407c0e52ef7b1119c92af2a4d556bef2ce45ebb7137ef3330cce7628bad0376fbd9c046cd94a27685e92636e9679093dda0cc1827b3d2368788fb2ac9ef442184f3c46fb2edeeb47e7da2555cbe043990e2c75a5a69d289986d7e0182e7f405487ce376', NULL);
INSERT INTO public.erasures VALUES ('5a28e3431aae7b48d7fed0731566e88d', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('95c85c99a7b9af1d73b31e26ea7827f0', '\x0772656c6561736531519927416ccd5ac10597e45ac9c77a16d850687f24231cd1de39e8149892b36aa2124b6bd6a2f15a718fb3c127e9a2bc5e548884a780779e47e494d8bd8dafb172930826bde6461823bbe1bc9661a73dec2fed0474179b2f9d33c95bf02f08095f5b7009e4bf6ed3e3fd8eacbf69674d1122c7ee05af', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1, 1);
INSERT INTO public.holds VALUES (1, '5a28e3431aae7b48d7fed0731566e88d', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('5a28e3431aae7b48d7fed0731566e88d', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '5a28e3431aae7b48d7fed0731566e88d', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('5a28e3431aae7b48d7fed0731566e88d', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('33dfb3fb2ef4e355ee639e3e4cee6d4b', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1);
INSERT INTO public.outbox VALUES (1, 'receipt', '5a28e3431aae7b48d7fed0731566e88d', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2231303637653237343232666136326337336434393832376264323234386231663361316661326665636561343331353964663135323066326161303638626437222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '95c85c99a7b9af1d73b31e26ea7827f0', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2231333466393630373162613364326135323532653136336235643762343731393931643739383164656436333234323661326531353534393630316663306637222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '5a28e3431aae7b48d7fed0731566e88d', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('5a28e3431aae7b48d7fed0731566e88d', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', 'bbb8efbc452fa5db069f3ab7c82d71277d5665ab6c8ccb147636857245413400', 1790000000000004, 201, '\x7b226964223a223561323865333433316161653762343864376665643037333135363665383864222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2231303637653237343232666136326337336434393832376264323234386231663361316661326665636561343331353964663135323066326161303638626437222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', '2bb554a95b3f0fc87dea3fbef282fc913813fa2a2db1a8c85ba59f111bf8f50b', 1790000000000006, 201, '\x7b226964223a223935633835633939613762396166316437336233316532366561373832376630222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2231333466393630373162613364326135323532653136336235643762343731393931643739383164656436333234323661326531353534393630316663306637222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', '663b95bf378f6fc9', '5a28e3431aae7b48d7fed0731566e88d', '', '', '0000000000000000000000000000000000000000000000000000000000000000', '91884d4757538310ec231e607e59af5785c177df4f5a8717bf6b7dd33839834a');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', '663b95bf378f6fc9', '5a28e3431aae7b48d7fed0731566e88d', '', '', '91884d4757538310ec231e607e59af5785c177df4f5a8717bf6b7dd33839834a', '3ac717428e0c5b799fc15dc509554071fac59a9f98f78191fa0be3220348954f');
INSERT INTO public.transitions VALUES (1, '5a28e3431aae7b48d7fed0731566e88d', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '95c85c99a7b9af1d73b31e26ea7827f0', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '5a28e3431aae7b48d7fed0731566e88d', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '5a28e3431aae7b48d7fed0731566e88d', 2, 'certified', 1790000000000008, '');
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
ALTER TABLE ONLY public.officers
    ADD CONSTRAINT pk_officers PRIMARY KEY (id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT pk_outbox PRIMARY KEY (id);
ALTER TABLE ONLY public.overrides
    ADD CONSTRAINT pk_overrides PRIMARY KEY (id);
ALTER TABLE ONLY public.persons
    ADD CONSTRAINT pk_persons PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.requests
    ADD CONSTRAINT pk_requests PRIMARY KEY (client, key);
ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT pk_schema_version PRIMARY KEY ("least");
ALTER TABLE ONLY public.trail
    ADD CONSTRAINT pk_trail PRIMARY KEY (number);
ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT pk_transitions PRIMARY KEY (id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT uq_decisions_client_reference UNIQUE (client, reference);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT uq_decisions_receipt UNIQUE (receipt);
ALTER TABLE ONLY public.models
    ADD CONSTRAINT uq_models_commitment UNIQUE (commitment);
ALTER TABLE ONLY public.officers
    ADD CONSTRAINT uq_officers_name UNIQUE (name);
CREATE INDEX ix_allowances_decision_id ON public.allowances USING btree (decision_id);
CREATE INDEX ix_api_keys_client ON public.api_keys USING btree (client);
CREATE INDEX ix_decisions_client_received_id ON public.decisions USING btree (client, received, id);
CREATE INDEX ix_decisions_received_id ON public.decisions USING btree (received, id);
CREATE INDEX ix_decisions_state_received ON public.decisions USING btree (state, received);
CREATE INDEX ix_holds_decision_id ON public.holds USING btree (decision_id);
CREATE INDEX ix_links_decision_id ON public.links USING btree (decision_id);
CREATE INDEX ix_log_proofs_at_entry ON public.log_proofs USING btree (at, entry) WHERE (body IS NULL);
CREATE INDEX ix_logins_officer_id ON public.logins USING btree (officer_id);
CREATE INDEX ix_models_name_retired ON public.models USING btree (name, retired);
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
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT fk_decisions_model_id FOREIGN KEY (model_id) REFERENCES public.models(id);
ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT fk_erasures_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.findings
    ADD CONSTRAINT fk_findings_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.holds
    ADD CONSTRAINT fk_holds_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.letters
    ADD CONSTRAINT fk_letters_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT fk_links_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.log_proofs
    ADD CONSTRAINT fk_log_proofs_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.logins
    ADD CONSTRAINT fk_logins_officer_id FOREIGN KEY (officer_id) REFERENCES public.officers(id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT fk_outbox_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.overrides
    ADD CONSTRAINT fk_overrides_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.persons
    ADD CONSTRAINT fk_persons_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT fk_transitions_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
