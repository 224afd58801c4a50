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
CREATE TABLE public.findings (
    decision_id character varying(32) NOT NULL,
    sealed bytea,
    made bigint NOT NULL
);
CREATE TABLE public.heartbeats (
    name character varying(128) NOT NULL,
    started bigint NOT NULL,
    beat bigint NOT NULL
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
ALTER TABLE ONLY public.outbox ALTER COLUMN id SET DEFAULT nextval('public.outbox_id_seq'::regclass);
ALTER TABLE ONLY public.overrides ALTER COLUMN id SET DEFAULT nextval('public.overrides_id_seq'::regclass);
ALTER TABLE ONLY public.transitions ALTER COLUMN id SET DEFAULT nextval('public.transitions_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0002');
INSERT INTO public.allowances VALUES (1, 'f5577205d5a22813e4f0026bed3784e6', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('b1bcfefe452d62f0', 'bank', 'e4d6a1c93faf4f81f2f5b284b8dd83a5d43ab40ae78ca04c683f378cf9a3cde8', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('f5577205d5a22813e4f0026bed3784e6', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303234323466666439383438643363383566663134663366303865333233353361616361633463353539366561336266366462663034343239373839313461222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2230373533333564303236393036393539353331653131656137323361396332663033376338656534366339353861333232393166383736663732316630366262222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.decisions VALUES ('1b73a86941f3bf97163b06cef0e52a62', 'bank', 'second', '4b68e3b802149ce858c64f957cc0275a', 'review', NULL, 1790000000000006, '0c6957d86444a6e39edb9e121d44f068163339f1f58a6f234d48c68118851ce4', '677a14efc146bbbfc78a2f2d656464b73b67079f13e0a728d24cd92f972fa9f6', '\x0772656c65617365d60e1c27750a86c74fab6643eb4b3f1e4c310b34a36c44089d558f52c6862aec29358d57fbbab73f51a56651bc33054824de0260e94709f85165143834b0b143e5d5544e0e1b2714f6eb97d922128d333c739161558992d20c1a1cb2968bbda77478a1e7fe87f52f0520b664244961f95c0c602fd99227a64dcfc8f5af9f75e773830848915c49ceb7ede60b9a2c157c4a01eaccfbe4d444d9f748d5dd9fcd9efc9f96c60e181435ab1422c1ce9fbccf64db221ef78eaac98d8659e56fd93eef71f7e3ef62b82c63d8f9da304738ea0327439719dd78cd89bda141e0a2d34525baf74cfafa49cc5b8da00f26080b132c084ad9515d42ee065ef073e5d86c1f71555a3db13f0b4248da4c7f8711448f22cb1af72a3d6d38f05a8f5a55b3b60b721964aeb58fa9571f0163f3104ab3d376ef4b5387d972a0364b34f56c6d1228af6c7497e9b1b378eef94acc4333fe026d51f5aa197dccf272b195d96a1283ce80b8757e7bc08eba85be14b693879ce84c3895b9ac71b836052244a16b6c85aec96b9ae133d2bf0c75b1d0316b282d9120e4b1c41ccc8be795ad56f2788c7a4835893cfc28edb80493da29bd7f6b99391634b0832b9cded8f8f95286156aef9b35169f4f3e0eb981879585a37c74f7d3b6f7366b86f26c0877c594a701601110cece7e0a51f6e8814e35d3b229c8e74469b2f5d64399f2bc585d02e51dd2d76ec0d6b476e7c4ce62f63767601dd083b43b5809cf94eb426ef66b163a6a20dfe3e7e9a106c35accc09e3de003bc24bec6bb7416dbb5b0763fb60090ce895263a5ed7782c0a99090a8a988f520208de38645f2be5c825880e56766efd994809815292ba0e366e82f987f0e8fbeda0701eeacd263199e5c6c3bcb5efc31eb8c2d31edc929a699b0624febf88082a14a0d12da990b9179125f751c1b97521a3663eb8743e0f28eac92657fe405cd8403a3a15f18207f81c738fad1a5f6fb88d2095f5b6d5b4c1f65dbd19d155073e31d84e679ec6aebd747959fbd95d82eeab88cbeb0ab8362c802e89eb88a242cac8c6a5ca5569d3f', NULL);
INSERT INTO public.decisions VALUES ('f5577205d5a22813e4f0026bed3784e6', 'bank', 'first', '4b68e3b802149ce858c64f957cc0275a', 'certified', 1, 1790000000000004, '075335d026906959531e11ea723a9c2f037c8ee46c958a32291f876f721f06bb', 'aa7e923a991826e514ec41fb82225159f1bc151861bc0ac00dcbed796dd0a356', '\x0772656c65617365c303c0604d5b88e2f704ae8784df66fe70b5073db41b376402075c5d6bbfe8175a84e8033c81642c958cec2cd0249153a63e87de5627efd10b13b72da3d375f4cdaf127b45c85f9ad9221f37b68518c5b8338ea97f373e126de0b9ba4656705bc462c0e14a95776c42e8ac6ab4bc787ecff592491c6bd35855c31d77692aae42719b3ad52593652a90a15570f879fc51176d11987d8903c274159276c5e26fbcc2dcf039d548ad3af07f3c34b050533f8983c299305131ff3cdb7dafbe3d344661c8587557b6995bdcdae9b9fcba4eac888b71fc67ac9696903a84dc0608c33cd64ddb8af1ef54bf2466bfa390229d243b6870c964f7090e3f1be660943f9693c39bb6b9ee4cc2da9fef86d1b290d126a82a2bb4521de4dd5e25282d7a3746f380c5b45e9bc240a2f063bd4bbb059873836cf90e3b75513f43c2f1ec9a860fd613436e1521f7a014c0800d0de52c3fb3fc91f28258658a0a34bd295338c7cde51e7104ccc80b5c45519a2266ec4e48a2c81199d15f6064603b8810271911372348dff8cba4bfa31dc85930eb65f2c1cfe3b3893e36c37615c79b85ad4d5567c30a4ffbb04a6edfd56967e19ab87da7c231d2ab546eb697510b10b5b91f1361ed53dedb409f49ab239b954836b1837c326c1d4ec9f641d4893a9f9a6af2034495cbfdfc54f6e5b78726cf488e6b3a30050cba840383b184db98ef32368e06a11dd950ab40b5e5d8edf691d0568ded4bb9943049612b71d8bf7306e86b33a4d44aa322fe0bfdb23a1ab98d9076357fdbbcd466ff63bb5ac0b144e3797e942dbef34f089b4a534b09d5d7504f4935ad97039155cc8fc0f969f75aa790e402a2702310565233f701b7af101cfcdebea37a702a73b1a6a8cb980fd0496be91b4e936a8df33820a24a903d23f9dcc4aff136af6519cb6d1592025eedf1df355e7eb0f7a240f7e67cbb585bcc359df5a7f10789c9fef257a39f56cabd3f70c09b7d3f704fef390c67a3d6bf2a92074b011073fe93376b51a72b169cf5ce111f879a55af33a72c8a269a09334d6ef163c15a', NULL);
INSERT INTO public.findings VALUES ('1b73a86941f3bf97163b06cef0e52a62', '\x0772656c65617365c2da6e0edb2296b31c1dd8abf2ca1d4ec1f7b73a44bd2c91118ea566218c940d14c9a81b39965f2078efd9a48abb42522815040eac5ed9a2d28af74e0a38a807053e951397265f2170895fd54e8f691afe727d7392ba0cad57c5f3db96d2145e282e53715ef90f4e470df32707b32632b65124a506d3c6', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1);
INSERT INTO public.letters VALUES ('f5577205d5a22813e4f0026bed3784e6', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', 'f5577205d5a22813e4f0026bed3784e6', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('f5577205d5a22813e4f0026bed3784e6', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('4b68e3b802149ce858c64f957cc0275a', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1);
INSERT INTO public.outbox VALUES (1, 'receipt', 'f5577205d5a22813e4f0026bed3784e6', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2261613765393233613939313832366535313465633431666238323232353135396631626331353138363162633061633030646362656437393664643061333536222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '1b73a86941f3bf97163b06cef0e52a62', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2236373761313465666331343662626266633738613266326436353634363462373362363730373966313365306137323864323463643932663937326661396636222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, 'f5577205d5a22813e4f0026bed3784e6', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.persons VALUES ('f5577205d5a22813e4f0026bed3784e6', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', 'f23ea6b177e4c361b41078c4c87775e8ab9192f7bf822cf79aecdf42ef61fa69', 1790000000000004, 201, '\x7b226964223a226635353737323035643561323238313365346630303236626564333738346536222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2261613765393233613939313832366535313465633431666238323232353135396631626331353138363162633061633030646362656437393664643061333536222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', '6f5fab45031bf59135e622c35eccc4ffbca0ebc8ccf5f4b49e3691e0861c04b0', 1790000000000006, 201, '\x7b226964223a223162373361383639343166336266393731363362303663656630653532613632222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2236373761313465666331343662626266633738613266326436353634363462373362363730373966313365306137323864323463643932663937326661396636222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.transitions VALUES (1, 'f5577205d5a22813e4f0026bed3784e6', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '1b73a86941f3bf97163b06cef0e52a62', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, 'f5577205d5a22813e4f0026bed3784e6', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, 'f5577205d5a22813e4f0026bed3784e6', 2, 'certified', 1790000000000008, '');
SELECT pg_catalog.setval('public.allowances_id_seq', 1, false);
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
ALTER TABLE ONLY public.findings
    ADD CONSTRAINT pk_findings PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.heartbeats
    ADD CONSTRAINT pk_heartbeats PRIMARY KEY (name);
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
ALTER TABLE ONLY public.findings
    ADD CONSTRAINT fk_findings_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
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
