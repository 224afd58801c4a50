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
    ended integer
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
INSERT INTO public.allowances VALUES (1, 'e27ea132c6648ca0682927573d5f5dd3', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('eb35361dca011db3', 'bank', '64b665d5969d6305d0069083eaca289316e7cc97ca4dffda633d9439b2be76b1', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('e27ea132c6648ca0682927573d5f5dd3', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303639616335303663636663633065316236626239386537396536356138633566616330636431343231373239666231383939313436626139356239666634222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2233303536323539623665303037613063393830383838333538363231303838636438616435333831333161393732636639376333353934353865643861383962222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.decisions VALUES ('588da5e17fc44a33a5ab32ecf054cfc2', 'bank', 'second', '086b23a43bcdac02e189dea27ec70d44', 'review', NULL, 1790000000000006, '1cdcbab6c4ebb6694d1f3eda6b13f8d76501d8853cd488675f5894c9cda0a564', '97739ec0ce94a9e769af6a0f2c3aa2a358a998dc369540acc5f90fbe0667ca1a', '\x0772656c65617365b2918be011e25b9cb90114ab77f2a0af9175f29efa2b1b14c5eb1af1c0a3392efca9b1c85c98b5959832cc2f8fe80ac01e64c878a00867ccf08d9369c43dc6281539ebe0d507407ba6aef275d01d7417438769dca0e3da9c1f1a1d55e53da9f9be949f36f008a7238fc30d6a4b1dc8bf150fe003bad4fb51bea6acdf991e63d4a5a89b3a783d0dcef97ddd75d0f61651500d1e4b0e7fa38685a7154dd9e11889d1a4537c38bcaa1e21aeb7742fe6dae2bb815f072e493686d90e5cfdc5321faf1263cb3e15d938688810b3edce1f4874a0ff0416bac9b120db4e4e120d663a567ce626cad14f0c0e85bdc6288a298998e9e57da8fb979fe9397d1d74397abaa2e318e925f95f1d57ff228f38829deff7364068334a29770c039d17e6ba5680970de70ccef55fd4d8113281e119d324c74499a64948f84e44d64f4f23d4a6d87c40a37fe41be9f39b618816e1c233e0f2180e906d0a24a1e769f88c377d371ea04929c8f2e0517d57f7f070c100d746eab0872899ca8f015bdcba424d0158263e9920df16676d5809e0bbdeec21aa4744bac4b3ad3031b87feb366031f32806d2c156874dd22a5f30b827b6b58e2d654472d7420426080fb01952fc631288062e38c05433cc4488fb09c54c7e66113344403b7154fe4a9374936b89cad16af398fadd4e1d8ce51ce02faafb9a17c73d51600ce0ba7a5c11774ca97ee0cc36b8270bc91204ad06407e3ca6d842280bb3390411a1833051d1ceb3b4bcb887b127945bcbb170ec038a45541f01650291b5e3d1e5833d50f2f494adaf6b485c55de5daf638bc239a25244ff492b7c4fbb060c43161f58412edcff14b4ff3e38d4746f8e11686538e8960bac83952e52de782fd49255c9f856d85e425c85e7614b102feecdbba5ba953e3299eccf0e24f828fbf77867e0fe13ce0551b8a87181e5c97d1409cb463375495a20618e1fced4f261ed4f4db9c41fea9f23ffcb7cd0b5eec79bee3393ce2b47b7d67e3209478c854b0ed6a647d4c0a388308a8f61fdf32c1d04e28a703489de84ef610b81e9b5b992561fe6', NULL);
INSERT INTO public.decisions VALUES ('e27ea132c6648ca0682927573d5f5dd3', 'bank', 'first', '086b23a43bcdac02e189dea27ec70d44', 'certified', 1, 1790000000000004, '3056259b6e007a0c980888358621088cd8ad538131a972cf97c359458ed8a89b', '49a6f2e2d62d4f8074c1fcd9b6c6d702e399959fbf85d4e815cc7b76bef4301a', '\x0772656c65617365ce811b0711e25fcb64f2505ce0ad98fa5d578bd578b5e416081a5ce5b8f8578326042d8066df830e9640072cb05938897a03ea164f1089315201695f2d30b77a6511f0ceb5789cdb9e18ffeadfbe2c6984990492affbe2ecb02cb8dc835970b29b6caa315c4bb304a2dbaa1c98673df1e9da3e704367dd11cb6066a4abad34440da737215a8e68260156a5fbe03cfb35947cc5b7542bd7584419c503717c8bad34a0e68d3fe63843422afea00658afcab57fcb3ba9fbd7e6a68b422a2136e576dfc7d65ae09e25e03ce5fcbefb15dc7e45c8b675f2d0e5a707fc068c988c3eaaa75efeebff9cc67b957d11e0704840f2bd365168ee511233615804072135ad6ee1f1b7020ab7825010d273c9548de0d6aaf658e6a10a2a9a8319130e06f2c714093c366a1a4f088373496ca24847c4d3e0a494886080340c8aecaaa1798c93f908bb4365bd46cff43ce92ff8649c421d713f38d4e11db9898d91c1c7948c545f65a6b370e6198f8d5eb592c94a1d4f5cf03c20c93fa6182f1e2f9dbb6424a931fcd27ffa282deb1f33f40f254318c2461ae9703a92f1918c118e2e53ac758feea145a72bf4557fb3ce3781e9d7f9ffdde70539acdebb5caf54a21c0df14d617ea6b7d5315257fb514c57ed78654ea5c750ec8a5d78973ed4876724d606cc971508653c72bf2eeb714ffcb99a65f471065b911cd9f6be9a2da18e2c4bbbd2a896f94547caa88a4b7760e6b98c6462238c3e069856e899e33a59aac1b9712b65b2d5402bca1b5c7ddcc79692fb54748fa2b8923f0b0dfd7edbc1ddb971bb1486ff1fd983553096d089ababa9bd4adb000e50b330a246c3b942aa21d26773d1e823dceaebb61537e26611814d392eb18ecdc90220683c17d58bdb8ba613064bc989d930371dae48a795882512eaf9710cff5d1e235ee6609beb7296eea2bd1a1cd9816268b44904f46c9532df927e2748d8d1f7e21e8717c5eac3c68eb00a78c61acee82ef51cc181e17eeacc547da439fc7e26984966a95aff8b5ff1c211d09f1665923023b9d1519ea1ab72c7a7d9', NULL);
INSERT INTO public.erasures VALUES ('e27ea132c6648ca0682927573d5f5dd3', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('588da5e17fc44a33a5ab32ecf054cfc2', '\x0772656c656173650c29916d8f1df250622813eef3426034098efc17dffdbbe6a6dbbe7aea65889f00e85f9d349b0ae219f81fddf87342f29a9727480caf5ab7b665a40b4e6e89c44b1f54aaba9c53206fa79dd3f7e8cf2463053bde3b06780a33c4f1170a06bdc018c9e8e26d737c3f3cfd5e3c609fa33656f10340f38f2d', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1);
INSERT INTO public.holds VALUES (1, 'e27ea132c6648ca0682927573d5f5dd3', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('e27ea132c6648ca0682927573d5f5dd3', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', 'e27ea132c6648ca0682927573d5f5dd3', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('e27ea132c6648ca0682927573d5f5dd3', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('086b23a43bcdac02e189dea27ec70d44', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1);
INSERT INTO public.outbox VALUES (1, 'receipt', 'e27ea132c6648ca0682927573d5f5dd3', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2234396136663265326436326434663830373463316663643962366336643730326533393939353966626638356434653831356363376237366265663433303161222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '588da5e17fc44a33a5ab32ecf054cfc2', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2239373733396563306365393461396537363961663661306632633361613261333538613939386463333639353430616363356639306662653036363763613161222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, 'e27ea132c6648ca0682927573d5f5dd3', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.persons VALUES ('e27ea132c6648ca0682927573d5f5dd3', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', '8f4030242c5b7cbe8c1dab212e35e703d66904702ba35372ffdf39b8a1f1d95d', 1790000000000004, 201, '\x7b226964223a226532376561313332633636343863613036383239323735373364356635646433222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2234396136663265326436326434663830373463316663643962366336643730326533393939353966626638356434653831356363376237366265663433303161222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', 'cfff67dd32b1520bc57509f5e9c57df5b4043bdc6d3886b3ca4e379143e9db1f', 1790000000000006, 201, '\x7b226964223a223538386461356531376663343461333361356162333265636630353463666332222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2239373733396563306365393461396537363961663661306632633361613261333538613939386463333639353430616363356639306662653036363763613161222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.transitions VALUES (1, 'e27ea132c6648ca0682927573d5f5dd3', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '588da5e17fc44a33a5ab32ecf054cfc2', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, 'e27ea132c6648ca0682927573d5f5dd3', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, 'e27ea132c6648ca0682927573d5f5dd3', 2, 'certified', 1790000000000008, '');
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
