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
    beat bigint NOT NULL
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
INSERT INTO public.allowances VALUES (1, '8185d48732fde40a82c9c599eaddb48c', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('74269c3d3647b20b', 'bank', 'd1df47936b16ee1a97c93ede5285c935b3514eb25a88c30042bdd8c7cc2bb828', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('8185d48732fde40a82c9c599eaddb48c', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230306438383439386237333734656433613134663966663038646264393665623239303961356238353961643439383666363930383165383064336565383762222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2232313562303032316262306437386564343632633062306164636165646630666264353862366537393630313736336361636638333439656634396631393733222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.decisions VALUES ('aacb6d3e8660e5467ccab33fdf6a6fec', 'bank', 'second', 'ed462da5bf9f8259f961c6c1d46a8746', 'review', NULL, 1790000000000006, '29983bf5fe449c8f337c7b115516d710b6c9c477db7ffdd724a471fdf39333b8', '697c1cb1e625be9bc411821aca73dfb8e2ed1fa9ec5c87317186f8e6f5f4f03a', '\x0772656c65617365e7d1e675c4a210fba5e3b177a77215aae9429b098467d3224512af1b09e904e49739cdff1dc68c32f21bfa4a66ce204952bf56c27879fe08d7359cc610fecda4e1fc006fcb102199d7e2e23dd8326535d031b225121e9d3587c859ad9ae37531bb4e02dc65bbbeffc95f5ef5a5a4b97c12f798edd73db59c58e5c4194caca5ce195a451ffded04b9e171cf3cfe302bb531edc59b178c0862256753b43845942ce5643e11d7f1dc7bff2ba0107a43074be9c5c690da85f62990b825258e16831183932c0d1222baf0a64794d679d9391257fbede9b36cd1d1ec4377dd923467ac75fa827af9051d7f6b7d3fd79811754a6b1cc8f7ef803b67c382b94ed3efc4cb9e9ceff2ad51bae605821fdbcb9e50bcd5e501840365c446045cbd99207eb059d2bce5bca9cf4306ebd61c189b4bdfdcbd7799c24f1cac187cfa1c6b3fecba5535a45b163776343684d9a316cd77b053bcc7791bece1379077fa6d7c06e8ece5a2a86a92fb943f925cf2422d49de1d164725cdf6860440f7283611b32924a5c1cf034397f2d40d3dc82ef75c84eca2d58767a9ce97a86940ef9f625608d208ee615ce002cf7eaf606496e3cf380d622e5c165b133cbec7de428e459290d98c5fb6f1e0d52f1fa1b3d947113afd710ead8284ac9517aeefa1dd84ce6a94cdfa1230fd40728f596a9fa1319805ae4dc8ee8f38b5e5619e18e1fe5a240fa000751b82bfb81cf522342fcfbf166efa6a5ec212be9f7d31c93315f8d55131ac5103233de4cf224f461a87c11d3ebd29a164df7be46a1f89294c8d64ab2d610ff8687d162b86861834dd5cdfb1842303ed0bf44170111faf1a67f27d68f08fea1798ca76f739d7502b9f8881e0893289dbf6e462fb725d302ac2ea1dcd80547d5a30c4f044899552632bc94221f5dc32b5eebc84091708e11c3f53d82ad20deed5ecf5b10cb0b071063afafe47fcd3428591e4d24d912cbb04f77807bb648f79d1672402201cb647d72b6489a2560476b4ea310343ba62d78ec1c8184861a004a27d47070f1d54bf744903af67b3b4bb56c7d39cfb4c', NULL);
INSERT INTO public.decisions VALUES ('8185d48732fde40a82c9c599eaddb48c', 'bank', 'first', 'ed462da5bf9f8259f961c6c1d46a8746', 'certified', 1, 1790000000000004, '215b0021bb0d78ed462c0b0adcaedf0fbd58b6e79601763cacf8349ef49f1973', '78b2e7c54427125870154b9b0ce70abd50f0450403a8e4230c0559013b88a0e0', '\x0772656c656173650921e5ffed874ea93d264672520e639909d2ff07b75cbf75fb398d0b26a0a65c4c5a621f22ed2bf6c6f436547b91def8b5436578fb0a4d55f5f7b160bdcaa74d236e54ca031f5e06498aa13a36624cc72479a18a92490bb22cd2f641fa7a8b436efca961c08cf8eceabb4c18f6f069264b13ee7c6086be3f84ab6fe3a51c6ca8c0dbc967a03b8b073d37a5a09c46ec297b99ae548459ae7b236e4adfc160ae2b81f8636827c8a092a2a85cec731ebd6f0921f55c8211fb7c7493d90b5e1f39d3a02627d0bb757b8077ed4046c6988fb3912ba262172b15d32522a664277c48bcb7484bf604a3ff31cdf3902cfb592e261bfaefe37acec7e5549343e525b0142d9265fbb602b699cb081ff4819751e8c089b94ee771857f79bf2a7b3f787a264a735bac493033026109e2b6e2cdf35d69acd2f0f34bdd3241ead2113e81cf54c58f292a0d8c56157fa4644303b772bbbbafee8844ed432133e16b9eea48dfdaf37988cdb2f30e2737411d3c18fd62af27c5186b1a28c7a4c54b4f017b4fbb5a3af6dc9fe6c1f9cf4df3356a103730cd8d1630d1710b9c477f5ec20c6c72c3057185bbbd404cd20a32c8c5257d6af8194159e2e3893dbd4b67d11bbc6fc74a9b020f8e63c019dfe1a34271a2aa36a7d32f2132f6b34e71486c6939f87ab01c5b177f07ca4cda9bafef477267a58c8aebc07f361490b0c663de4ae506f23420fc38528e32c76c22fae999d0b700d0b797fc49b6425aaee70c8ca61e0bedb3c45e7883974c71a3dc9f5b58d6d555af0aad48a9b40adad6cfb836ef70c3c207a16d6c953849df64577f9efa2532cef6f68eb596aab9f73fe74627564ac37246878e41b39e85d914edfce23ea1df2b92012318eebe830de121542c4c469104ffe012b7cfb0f1a0dac46783614280e91836e1a2d4637176b89767d853abc9262a579f5929e07bc711cbcac9f3aff900475fe5983d17c8b8f2650b75f1ab684d50b73739839a3525d38bccf35b1957339e5e0f1cd88d1b0d07c2bc868badbcfa4c7dfd996b25db4364eba05312db3d8dc8fa', NULL);
INSERT INTO public.erasures VALUES ('8185d48732fde40a82c9c599eaddb48c', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('aacb6d3e8660e5467ccab33fdf6a6fec', '\x0772656c65617365527e164f55057a7b0e5f4a71dc39384b6a0be43e4dbf49a8e77ca345f6b342671f76d0196a044c7fb4c038218f0fff68c8f6217e33ac10e4d5405c4f34a27bb76dcddf809d74e26501c116d4a7d5d0f6c32ad239cc744544adb90db1c1d04ed880c11fd4bfc393b323dcdbdc4ab04e114f3bfc6a43175d', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1);
INSERT INTO public.holds VALUES (1, '8185d48732fde40a82c9c599eaddb48c', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('8185d48732fde40a82c9c599eaddb48c', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '8185d48732fde40a82c9c599eaddb48c', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('8185d48732fde40a82c9c599eaddb48c', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('ed462da5bf9f8259f961c6c1d46a8746', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1);
INSERT INTO public.outbox VALUES (1, 'receipt', '8185d48732fde40a82c9c599eaddb48c', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2237386232653763353434323731323538373031353462396230636537306162643530663034353034303361386534323330633035353930313362383861306530222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', 'aacb6d3e8660e5467ccab33fdf6a6fec', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2236393763316362316536323562653962633431313832316163613733646662386532656431666139656335633837333137313836663865366635663466303361222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '8185d48732fde40a82c9c599eaddb48c', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.persons VALUES ('8185d48732fde40a82c9c599eaddb48c', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', '3320ace9f73ecb2c5dfdd5d2b25fbc72aea22cd7e74a8239c04f8ee219d2666d', 1790000000000004, 201, '\x7b226964223a223831383564343837333266646534306138326339633539396561646462343863222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2237386232653763353434323731323538373031353462396230636537306162643530663034353034303361386534323330633035353930313362383861306530222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', '755975e64e880d411a14248eaf21a71da9428acc9e21ef73cc3dbe7e3d272ea5', 1790000000000006, 201, '\x7b226964223a226161636236643365383636306535343637636361623333666466366136666563222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2236393763316362316536323562653962633431313832316163613733646662386532656431666139656335633837333137313836663865366635663466303361222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.transitions VALUES (1, '8185d48732fde40a82c9c599eaddb48c', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, 'aacb6d3e8660e5467ccab33fdf6a6fec', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '8185d48732fde40a82c9c599eaddb48c', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '8185d48732fde40a82c9c599eaddb48c', 2, 'certified', 1790000000000008, '');
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
