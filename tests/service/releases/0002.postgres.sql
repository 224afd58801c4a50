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
INSERT INTO public.allowances VALUES (1, 'e1d1d078f23a6a27897f6d0dd7944307', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('452293d561f979ab', 'bank', '7b1e13f437e96a87ef576c90cab2b94348e46f1be8cc54cf029bd960cc08052c', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('e1d1d078f23a6a27897f6d0dd7944307', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230306662656137306334323838666433343562366562666134343630346266373036346638653931653166656666393639303632653363306666643438396438222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2231303463386565306133323738366162396332633333346531303034643534643566656332343138656434633762313138616565613766666664653763343361222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.decisions VALUES ('1085945f4b0c134aa8a2c9096eb6ddeb', 'bank', 'second', 'dc5b2180af568c71b73a09f91917e32c', 'review', NULL, 1790000000000006, '18e89b152b94bafea0386131b7b7f9c446126f0d1e50af94d5ac500335039d16', 'fcae4ed578be43e2a5aa9ca5c949b5ba6769f2e8709ea89a1ee26b3fc2a9533d', '\x0772656c6561736561ce149b0f17ed5ac4ab00df98f48f699c7a976a9a98abb01d455b9448f2cc5400ae2cd058f2539ee9205d55d69b3bb5fd4b91c5d1b0c6b2ec47cff9bc0bd6577d3f409d538262a59335cb950cb0911c251890ef6f2e05277f7cf9e4cf9e2c43b95f157a9762c2832b13f8f1c0e6d6e970fee77da50db43874c15b5ae11445a6657b39c091c2179d1eef5b494c44b2c00a2f8457cebf7d60bf9ed8d702d0975bee00cf76fad69bad44a276129306dab7f1a212a0d860134f912358e70ffbfd81785cfa649debad2bda047a20ff2e77f1861ffe2a0d3f4dceaba7068514b2c0bb1b8df31b62d3b630527928b3eec9db332665e48f12e7bcca20fbef432952c3d33b8cd28564335bdfe0a9bac48ed523ad97dd656822db5cb04557be6a2b1141986ada3db5a36a47e875276766324115d66d56b0dcaa6d0827c61248ce2e7cef52dcba0e3e2b3b45fe002f566aa078f633621d42ed80ee388453976c1d006c5f68f406b5db183b0b719c927e22e21206afec803e3578c93920c99c89e27d3d1b3e71b9d5dd2c44bf0550af3a7364668e7c9a8bf3d2709c17e3d50ce606167f5873df18e4f888ef3e07acc8ca2b89fd9e6926b620d246772fed6147c67a10bedd119833c271a2bedc341b6a5b5d78924729a4f61ddb1a281d24e1ad0be998e49853e1aa7647a9946980f7897517038d0eda4ad0dc30cf368bdfc4cbe520f7a0ddba513849a38f4725dccd08cf4e3b1e565803e91d176911c59f1171ecb30a0ff25fe9cf3e2dfc2349a6aaea85bac02c8e2eedba5673feb0fa591aa1979ecb6c2ba8d38715e421cfec847b4b7233f96ce8f0566965150debe5b12bfc5ef98e5ace864bff9a945031a1469b36e6b376f5e0f0cb0254321ca3a1bb9c2f1d01f032265fbabc92617cad81f68012e78e94df7959b1e320ec458a0fa4bc7b1d15111c71b7035b6782133cc7b17b4690c24f88d129a16df19a279ce149da508978a1ef2a97b6e55ffb4d7a048e7308b3f02702944b8eddbda35538bca9f6fff1bf8352de23ab83da5a7d754b8770a74761728fe2c106fedd', NULL);
INSERT INTO public.decisions VALUES ('e1d1d078f23a6a27897f6d0dd7944307', 'bank', 'first', 'dc5b2180af568c71b73a09f91917e32c', 'certified', 1, 1790000000000004, '104c8ee0a32786ab9c2c334e1004d54d5fec2418ed4c7b118aeea7fffde7c43a', '6a9db55a191fd6d2ef641599168e58ef1344f4473ea80490a999738d642a22bf', '\x0772656c65617365d05bf8adb4bceb4229ea2f3a6705941b38e455398f075fccf87cf01e55e5118e2c9932ef934dfce65412f64ef6e72d0f82cdee66ef96e658942d666bd620e26a7bed2a8428362ed9959b706f408e9426a99decc761de8a3d70a55253880ba385d0425cb20a75df79a908d96a0c20c39ef9773d7aa8f583e75e46ce23774f18bdab4c94cd250542689c1d11680a2eba7f37e2ec3cf0e164fa266dbdbd07c23b230ef4a3c056c5b380fe00cea2764028a1d9e0c55c52177b6c2660977783da3054167f1e719bf8467c820053ce7022fbf8b23ac57eaa8b8192a80c128402753a760320265eb090408ef25282d4dbc6f376abc5a04b28d9b35879f3b09e870030d6ce9d09249bede2dcaf1dab74b7e9b68f0be9f583976c94e64a5c44307cb99507c48c0406ff8afc29735322118f423b05b9335c710bac8169ac3f7f57dce68afd86ee9c0066d3a513b28ffdce8cab7ebc717bc7cdbe1ed2dbe8f8ff4e1a97e0bebe04c516c246c67386755caac1f408c9a2aeea88f144d9121e6bb562067b2e501d97d84db4b16b2bbe4281f5b4cd5334976d6bc7c46d19bbc2f191fe646cbc6024e34baebaaec2640d5eb6440e9f6cfcb78832ed25ae3bdc0139235e214741d2c82eb463104b18e67398af712537c7395f717710d0a87a4e1bda81b7bf114de91254a15c70d594e86ed5caa5f10ac333e91acb7e911798f9635b4a86274a38c49ced491d24d83ec44fdd4cf0797f10e82c88452ec47048fdc2a2aff51a66bae70521d6bc480c3d26877cf452e4626f782a8121414ea5d49193c6eb94abb90a047936ce9603500f8b32cc6cf3e950b9a22e8b61af8fcf228f853b34363d96363bc70408bcb104d5877ba769085430229184ed2c015817661772c2739c772aa301b54799aa84c54c84262689ea2f4acbd698c32de8ce42f5668f9de97aa74a789396d080eaca4f65e6920d1639cacbc1c7fe9580c2a5964374050124f81d3cc19c23c31ffc41ce7ea0b41fecab77eaa9af49b5a52ea7d332f42778121c437dc44e69020cf9960f13055335c1d9a8d9', NULL);
INSERT INTO public.erasures VALUES ('e1d1d078f23a6a27897f6d0dd7944307', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('1085945f4b0c134aa8a2c9096eb6ddeb', '\x0772656c65617365564c38bdcc774e9955a0a8a724d07c37ca728784f8ec47a65a9a990402415c32962b8aa758413dff5218d025f1cff7b3450cec671ea6cc0d9ac939c29497387ded1be38e8bd0accdd85832b8f9e6535af8b2d8343361e2cc1d0d3d59dd256dca74d7949db5e02824385627195c61d16d880d9397ddd3f5', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1, 1);
INSERT INTO public.holds VALUES (1, 'e1d1d078f23a6a27897f6d0dd7944307', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('e1d1d078f23a6a27897f6d0dd7944307', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', 'e1d1d078f23a6a27897f6d0dd7944307', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('e1d1d078f23a6a27897f6d0dd7944307', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('dc5b2180af568c71b73a09f91917e32c', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1);
INSERT INTO public.outbox VALUES (1, 'receipt', 'e1d1d078f23a6a27897f6d0dd7944307', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2236613964623535613139316664366432656636343135393931363865353865663133343466343437336561383034393061393939373338643634326132326266222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '1085945f4b0c134aa8a2c9096eb6ddeb', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2266636165346564353738626534336532613561613963613563393439623562613637363966326538373039656138396131656532366233666332613935333364222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, 'e1d1d078f23a6a27897f6d0dd7944307', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.persons VALUES ('e1d1d078f23a6a27897f6d0dd7944307', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', '20e87fec18e2f9086e2919035a684808e97f25487a7cf171779ec1c913f11d3e', 1790000000000004, 201, '\x7b226964223a226531643164303738663233613661323738393766366430646437393434333037222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2236613964623535613139316664366432656636343135393931363865353865663133343466343437336561383034393061393939373338643634326132326266222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', '6831ca9c7e8044f1fccfff3465d8f64a1496b7948a7a436c5237c9ac095e7bf7', 1790000000000006, 201, '\x7b226964223a223130383539343566346230633133346161386132633930393665623664646562222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2266636165346564353738626534336532613561613963613563393439623562613637363966326538373039656138396131656532366233666332613935333364222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.transitions VALUES (1, 'e1d1d078f23a6a27897f6d0dd7944307', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '1085945f4b0c134aa8a2c9096eb6ddeb', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, 'e1d1d078f23a6a27897f6d0dd7944307', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, 'e1d1d078f23a6a27897f6d0dd7944307', 2, 'certified', 1790000000000008, '');
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
