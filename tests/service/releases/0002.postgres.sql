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
    at bigint NOT NULL
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
INSERT INTO public.allowances VALUES (1, '2f77b6b576eb4f24a685544d1a14ad07', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('8a36416a082dc842', 'bank', 'e56aa3346481b034abee118363749f26d2d2addc1213d71961bb07a1bfff1b9b', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('2f77b6b576eb4f24a685544d1a14ad07', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303939346337336635303465633166353433643863623638393139326633343436653834386332663537636663363239313565616166666436343762386335222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2232646662613265313730323831636562333265616631653838666432356566363065633262323263363231663664323735383766613430643235303434643133222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.decisions VALUES ('8f0daecff408f1012c9d2c0d2b4d87c5', 'bank', 'second', 'bc7fec6b4da78fdb74b849184664b52c', 'review', NULL, 1790000000000006, '1b18025741b466afde58e274b4bcd301204efcd677e266d04d5d0a17744c44e1', 'b51f0c0df6966f267f01819b813bd3814c3f88204d2abc232a4eb346a2b78e20', '\x0772656c65617365c80975092a4f42d93f9f74c574def5d2afa55addcd02ec127ce89bfb83f1c50e375304b911dea9919f2f0a06fd55a1c1fd791637b0368a9c3e63a3d05dfeefe0feb58e82d91ba04d86b2e2e4a6a900fc38e0143aeb1302762e993f1adb0a276bddd8bc4895d742d92c5731ded6be20c1af31294debde1ebce47d5b9bfa64145b1cc774976ebbb49d870b827843f98962918e8d70a8c6a48bf88550b876e5160f0b14691642f6edadcb7b0f5c4aca2fbe1a6b91d7162fddb70f87c20133b3dde91f4c3a2a569c85c6e5a05fa017f74f1535c4a85ce3ea76246ed71f79b1d66303cb23edd248e4c4eeb6e4bc4d97531356af1bf40d76026a7501b7b4ab9e0066852224c94b67db078f657a53c4657d95b4da1ff034e38e7c79cb02a07500b39bda4304a2ef06f96216530f2b780a073515771db556d900168d66c0097505a5a2b14e8c648e23d26841e9514709779f64879d18464c233141f9e18e7fc5565de320ad90acea2eb242ee3611ed7c41899be4c90f55e23279c202c52ad58bdca035cca82a44808c56bc2a0cb673e045e0893747ff6a7a1d1642547c2bba9b6b198b70f42173a4a3a40a6afb6a6c3fced2a243947a34ff68fbd1047395098bdf173de6e16137250b090dd46503a34e5709f4c8733b2daf3d6a4abe9546532072ece2cedda10170f6dd4fb6e2db466966ca11ead5a87336f3733beb6176a841972adc8a70c5ca0d91e1cd1c3fc5525f76907c6ffa72a2d7a0f754863e9ffe8f51f254fa4166aabdf57eea5c1da7472888b979da234c5f79491e483653febd6ce56f3cda54264177f4ce0b1a72c1ea81d195669008dd0a7ce678bee45943fe352f3bd3dcab44e938965176e5bc67f897d2bdb3e384e6ae47ca84268b84baf5f53a396d6dab3dcf351eca02ddb4bbab7f0b0181a7393f0cbf0a5c07164144bcbcaaa50a6ce9899bec117440e20a52796c0c9b7840ea5f0a2dddd9842fab7612b1435b01b48bb5aa18d610049785457974e96826d67cef61cc053320f55630d2753513783c3ad9abd076870f3318aac3e7fda28b5f46768e', NULL);
INSERT INTO public.decisions VALUES ('2f77b6b576eb4f24a685544d1a14ad07', 'bank', 'first', 'bc7fec6b4da78fdb74b849184664b52c', 'certified', 1, 1790000000000004, '2dfba2e170281ceb32eaf1e88fd25ef60ec2b22c621f6d27587fa40d25044d13', '27569de2af8cfbc72f20b1b75e0d5100c9883082717a654d97acc96cbe102d93', '\x0772656c6561736584cec70b6a054573c6b5a8465c15377124d8f05662de2b13b6be2fd37e59de2c1c384e8d95645c968cf1bfe712c4efe6764a30f44c4d8f5b73064879be099b0944112d1ba4bdb067eb708272b1e2fff49ba284217f897cc12625d96ebb87300b7db96285c96288250aef9e77651e58c8549024f361a84193fa2cbb2ee16615606a2ca263b8a3c2e549eb38b694d94b77d33b9b8c8bf98f68ceca98cc0d9e85cef054f9a918c8447ee567489316caea8db1dc1a36a885874ca8f395e83204f571a08ee7b9789e0c2350e4dcfcd597bcc4d8d93e8ece07088ec3d74f55071ef4d209df5fb6eb1edc5a6bdc12a94fbd3a9f0307e5657b16b581e6194ca7e94c7e3c60da12522d62be8f55da770c789f07e48dde9c546b2171586160f82bdaae9aa0b7ba4b1bd589bbc9d2413fb03e0e80d7c52ba7c308e8693b796a2130b1dbc29bf743ed85c53abb91197112caa6de31d915a23acd7e8a8b9f1b576c584aa58cdbf592eca4cf1c4c363218bfcdfb1162062c6513794297a3600e75f068ecfac7943d22073c723ddc1929d6beb79e7bffac49247af20f35ce057eeb4afd9c4413f3603a1520f62254b60bd099196cea59d6180191cf82331b2f86fdbbfc7bdb415693c5681426a3f1d884613bf65beb0b061777815a0f5bcbd181a0ad74e9c5ceb7e4f56ae31d073a08ed9fef0536dab285d06615cf45bed13b9c265ddf89cd5159c293b8577f35c0b12b1de066260ec9fcb90e8aa8c1d3312a6f86255121761a88346fbe686b5e49c3714a16ffca34de5488017f4f57602ae9f56a85aff5e8546efe844f46db34f69a3d01d95a857285e23e2041a685030e140b402eecf619da02917576d87a18317bcd1f2b9a199f06409b5b7f6bd732934b49c14fd6eeae04bf1f0d3c35f5d0c93558838327b45da89582101573a9f3414d57daad4dec69b6a779f6d6b623f7d5283ec545045ba639a0d953b246fc814ed607e779879e39d990ed17bf6b4b9600301f52cb0f061657291d0cdbad9a1430bc8ef03cdca386fb98c6184d2ad3efec398ade33353c98', NULL);
INSERT INTO public.erasures VALUES ('2f77b6b576eb4f24a685544d1a14ad07', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('8f0daecff408f1012c9d2c0d2b4d87c5', '\x0772656c656173658c48b914cbf3b4491ee6204d321d829625a7d5ddb66576bc94a514d7395247111674ea954daf608bfd7640ea6f5705e797d1e179304a8f5023f65438cc7ce3b3305f0d3e3fad93434e65ea631d42b812c0f2fb3423dd28d41371cf2621af8c15f7068320d308b55b07dc2457dfe345e97fa3daf66c9d98', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1, 1);
INSERT INTO public.holds VALUES (1, '2f77b6b576eb4f24a685544d1a14ad07', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('2f77b6b576eb4f24a685544d1a14ad07', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '2f77b6b576eb4f24a685544d1a14ad07', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('2f77b6b576eb4f24a685544d1a14ad07', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('bc7fec6b4da78fdb74b849184664b52c', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1);
INSERT INTO public.outbox VALUES (1, 'receipt', '2f77b6b576eb4f24a685544d1a14ad07', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2232373536396465326166386366626337326632306231623735653064353130306339383833303832373137613635346439376163633936636265313032643933222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '8f0daecff408f1012c9d2c0d2b4d87c5', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2262353166306330646636393636663236376630313831396238313362643338313463336638383230346432616263323332613465623334366132623738653230222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '2f77b6b576eb4f24a685544d1a14ad07', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.persons VALUES ('2f77b6b576eb4f24a685544d1a14ad07', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', 'f012f81d73bf695c5af0f23c740d8624ca4714ca57c6b7ed824d455c7a3b54f0', 1790000000000004, 201, '\x7b226964223a223266373762366235373665623466323461363835353434643161313461643037222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2232373536396465326166386366626337326632306231623735653064353130306339383833303832373137613635346439376163633936636265313032643933222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', 'b7426a0b9cba7aff88e38e21922385311274d230d37ad740de986fde44d0ee8f', 1790000000000006, 201, '\x7b226964223a223866306461656366663430386631303132633964326330643262346438376335222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2262353166306330646636393636663236376630313831396238313362643338313463336638383230346432616263323332613465623334366132623738653230222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.transitions VALUES (1, '2f77b6b576eb4f24a685544d1a14ad07', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '8f0daecff408f1012c9d2c0d2b4d87c5', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '2f77b6b576eb4f24a685544d1a14ad07', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '2f77b6b576eb4f24a685544d1a14ad07', 2, 'certified', 1790000000000008, '');
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
CREATE UNIQUE INDEX ix_transitions_decision_id_number ON public.transitions USING btree (decision_id, number);
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
