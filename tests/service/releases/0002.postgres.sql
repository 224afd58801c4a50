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
CREATE TABLE public.attempts (
    decision_id character varying(32) NOT NULL,
    number integer NOT NULL,
    worker character varying(128),
    begun bigint,
    forecast double precision,
    wish character varying(16)
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
CREATE TABLE public.correction_requests (
    decision_id character varying(32) NOT NULL,
    asked character varying(10) NOT NULL,
    request text NOT NULL,
    name character varying(128) NOT NULL,
    at bigint NOT NULL,
    channel character varying(16) NOT NULL,
    actor character varying(32) NOT NULL
);
CREATE TABLE public.corrections (
    decision_id character varying(32) NOT NULL,
    second_id character varying(32) NOT NULL,
    changed text NOT NULL,
    way integer,
    name character varying(128) NOT NULL,
    at bigint NOT NULL,
    channel character varying(16) NOT NULL,
    actor character varying(32) NOT NULL
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
CREATE TABLE public.recourse_letters (
    decision_id character varying(32) NOT NULL,
    language character varying(8) NOT NULL,
    sealed bytea,
    digest character varying(64) NOT NULL,
    made bigint NOT NULL
);
CREATE TABLE public.recourses (
    decision_id character varying(32) NOT NULL,
    stage character varying(16) NOT NULL,
    asked bigint NOT NULL,
    sealed bytea,
    ended bigint,
    outcome character varying(16),
    reason character varying(200) NOT NULL,
    ways integer NOT NULL,
    released bigint,
    released_by character varying(128),
    answer text,
    answered bigint,
    answered_by character varying(128)
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
INSERT INTO public.allowances VALUES (1, 'cda43176bbcfbea158afbac4ec7b54c0', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('7c65b83a48ab7aa5', 'bank', '189d43203295b4555488b813bf08f3e165a089d19b6c2e83d0e9bbd467af2797', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.attempts VALUES ('cda43176bbcfbea158afbac4ec7b54c0', 1, '00000000000000000000000000000000', 1, 1.5, '0000000000000000');
INSERT INTO public.certificates VALUES ('cda43176bbcfbea158afbac4ec7b54c0', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230306361653833316132323562643830333436353830663038366331663364326661663232613462633134333038616134323931363233313632393836343261222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2231646430303466626231616464396530306163353935383233323734313235393538663462343537653234613232313361363035356563616133613930656163222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.correction_requests VALUES ('cda43176bbcfbea158afbac4ec7b54c0', '0000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.corrections VALUES ('cda43176bbcfbea158afbac4ec7b54c0', 'cda43176bbcfbea158afbac4ec7b54c0', '00000000000000000000000000000000', 1, '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.decisions VALUES ('f32d30c410fdf4c07f9a609938415d42', 'bank', 'second', 'feb546b7c89e1400ef2f80a7b91c6e54', 'review', NULL, 1790000000000006, '066823613b616b0d1e9cc4639d79d2b875bf4cb8bbfc4181211a3c1b55929b60', '9783e243bf79761412a5f95b94af497b66a746db4a32c9646c30e1c918cfd677', '\x0772656c656173650f933beb1a0361410a57bf57e08f0b0f4917fe76f25aa11d744ccadc0006f17b1d0dddf5833386b074f812fcf3900188e9b33b3bd29994948cde1065bec57f8d79b80ab7d9c9b84e5c3c70f42ae6667d14d5e5346e643c1d72d1e4aee289e9e0d11e2745f57dedb0b371a9d620f9159d380ded0fcc7e1984bb7e9fff2dd0f37a0b211d7917df8e71151513ca40ffc5356fdbd4c21e542919acce2e3a20fbea5490c87e6cfd240a8d504feb04601ef7822d07f1dbc2c149a9f2394e6ced95d2a8fc7f98502000ef78068f5240974e519110b5001a7ec554b4c01b5d083ced2beee99fd656f28fa9b53fad997927e4f0a8caa58df035a9d880acdbd7a12346e424b7293bdb38752ea189190f29d30c7a99cc612490776c29feb229339fa221cc8e3180031620b13b926e471e156146453cf29e577c296e986896742badc7891e921a55f322b21ed9dd08cda5fd8a5cb3f29188c3e2757e46baf0f713125c9cb61e2764d8a2b9d760e3460c6e58313cc1b66f22d3c3dc6a2fe83f920217761c86a89ecee047b3d6704f64b7c11bd34ca97aaba790cf63b1affe0d4fdab45b2431368934d45ba3cd6153f4f10ba2a2f987b3f5e62fd7b88a4eb80e712eb3f8e38e6f2f7ed16fcde28265d5963279f45cf0f0ae0ed928087652d8fa451e55cafcc4afdb4217b8f7f1e29d48c0aa5754c7270b1a49b961beebff106914aaad18fb330a41d3b5a329b06763ce269da109e1d83e7bebf502a3f3370ff998749ce7bae5335c81e3a7f32e6b9b797bfd8eb4ac35853a40310f3729512a562829acb87823f4da8ae123d23ace941b7594c9e7287118d2aa03f64e3d6b6f36ac03bd97aaf1987cf61986f17828b57c562df74966ccf08848eb970c341dbdb47ca5aa29e1bc26943d50b24728d837de704d8281189d8aa4aa8e89abc268c8ccd0670bb84fb2f039922c6f22f965269879d40a55ee6026bbf3fb5a83bcbb19a8c88d7440d50cbe3d876f7f839ed47caf2eaa53e9ab345f8aedccc31c3c7b699cdc97dc722cab97c1c28c991a02f3d93a63defa45397890975a34', NULL, '417c26e01f0ad587', NULL);
INSERT INTO public.decisions VALUES ('cda43176bbcfbea158afbac4ec7b54c0', 'bank', 'first', 'feb546b7c89e1400ef2f80a7b91c6e54', 'certified', 1, 1790000000000004, '1dd004fbb1add9e00ac595823274125958f4b457e24a2213a6055ecaa3a90eac', 'fc3a8f5cd14691a8afcdf00252c52948760acb443e877bbe36d4c6b798562d4c', '\x0772656c6561736556e638595ce68597285d4ad8e0f1d2ed6ee466777554d0ee2d67b3807d7ccfdc8508b55c5b62b54c3a1dc8befa51278ae406b6b22aad517172e3b399adf5d771842c7c207626b42b74ea422ee06690ad7fb6f557b106e34613e2cd6cf3247f59f384df3a34be91ef0ecfdf0422765044e9df6a47e67ca039973c88e53efcc3c8a0aa3753e34cee66ad176f10588f022440133efb6eefa6794fcea28b4066b0dd7c2b323db437b5767240f428314682be2ece5dffc905b31b2fca5d8192135fd138f975bdd4bd5ee5f9a14fdf6671b5ffc03b17ad52f8ccd9cf55be681acabccb6698e9240bd5e8e5da2bd198c4c2a6d34573ac9f36dada5d8c5f4ded2f5e5084796e243c0f8b1d50b3532a79b653df396bcb24fb028bb22c2ed14b8fdde76d8a3e1429016a5bd363d3b0f0695ac1464609c556a4757a3dac42c58217e315de785f39a70d250d778f83c1554dc4b702f454a4258f770d61187b479deb0ee58b438dd2b125eb75e79a8a0ddcc400b8491f5e0b941b72edb23d2def7e7ed68ef28a241f4d5ff70febf121ac1c7400febc3e36c21fccae27169f20ca27f105fecc1bb1cb211c96f3fc535e8ceae21af9ee2fad3d59195a93e7d0e1cea5fe48de68c961f5c05b0f72955d730a10e6edc7a2833e0549dc25d78c5e3839ffb92dd461584fe022c7e5d43a400c46e64be65528b29b9fb93a046a03d42d655b96e0d451210927734d5bcc68a8744935ac7d2a23285f2f8f9fdaee16a3c73ef5443814eb3c2e809750ab68a66f10ce503a12d85dcf83b4ac86dc26d573b1207b7781c0c855b81c38feb4b701a3cea0408b00e9e0ad3bf056ade575e773006e9a0e60078f727b03d6a0650416a29747bb5da17f7dfe68d3eabfde09957e1027cfd1fbe2afea3f69cfcb246be5db11ea6ee0e3d38d4f6eee35038329885f1419d0e253f4d369da5fab756f0fb49fa74e317b521473de10384390d16e8de485a448c0437b5e0254cc4b5ce7955aad805b18c92b34209b3a9720b44689b39fb14508cfc9ea2dfc202b4cd740897dfac755f3e07029', NULL, '46274b856c470049', NULL);
INSERT INTO public.erasures VALUES ('cda43176bbcfbea158afbac4ec7b54c0', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('f32d30c410fdf4c07f9a609938415d42', '\x0772656c65617365a38680fa2d18c878c36c8adf167c1d54444d0c1fff4a09f92ec856343adc8dfed6550f1223ecb5391299da62ed0c9d82970222053308e8394f4b90c757858cda39314926d588a254d11ebfbe575ed30dea688846f546da1f2f035734702554262fce094aa39168d62c17469097b1a730fca3ebf87236d5', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1);
INSERT INTO public.holds VALUES (1, 'cda43176bbcfbea158afbac4ec7b54c0', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.key_steps VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('cda43176bbcfbea158afbac4ec7b54c0', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', 'cda43176bbcfbea158afbac4ec7b54c0', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('cda43176bbcfbea158afbac4ec7b54c0', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('feb546b7c89e1400ef2f80a7b91c6e54', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officer_keys VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '\x7365616c6564', '\x7365616c6564', 1, 1);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1, '00000000000000000000000000000000', '00000000000000000000000000000000');
INSERT INTO public.outbox VALUES (1, 'receipt', 'cda43176bbcfbea158afbac4ec7b54c0', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2266633361386635636431343639316138616663646630303235326335323934383736306163623434336538373762626533366434633662373938353632643463222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', 'f32d30c410fdf4c07f9a609938415d42', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2239373833653234336266373937363134313261356639356239346166343937623636613734366462346133326339363436633330653163393138636664363737222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, 'cda43176bbcfbea158afbac4ec7b54c0', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('cda43176bbcfbea158afbac4ec7b54c0', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.process_numbers VALUES ('00000000000000000000000000000000', 1, '00000000000000000000000000000000');
INSERT INTO public.recourse_letters VALUES ('cda43176bbcfbea158afbac4ec7b54c0', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.recourses VALUES ('cda43176bbcfbea158afbac4ec7b54c0', '0000000000000000', 1, '\x7365616c6564', 1, '0000000000000000', '00000000000000000000000000000000', 1, 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '00000000000000000000000000000000');
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', '277159981d50fe4ce6f4bcafb2714c49d72127f046114aadd02770eb2dc6c80b', 1790000000000004, 201, '\x7b226964223a226364613433313736626263666265613135386166626163346563376235346330222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2266633361386635636431343639316138616663646630303235326335323934383736306163623434336538373762626533366434633662373938353632643463222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', 'f56411ea763893c5604513ed684012b7cd019d4700c2eb887c4eddf4fcc8f2d6', 1790000000000006, 201, '\x7b226964223a226633326433306334313066646634633037663961363039393338343135643432222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2239373833653234336266373937363134313261356639356239346166343937623636613734366462346133326339363436633330653163393138636664363737222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.sign_ons VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00', '00000000000000000000000000000000', 1);
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', '7c65b83a48ab7aa5', 'cda43176bbcfbea158afbac4ec7b54c0', '', '0316358689372fbbbd082b15222c73af', '0000000000000000000000000000000000000000000000000000000000000000', 'f0def3500dd9bd23c88c2cb86f404aab095166b589c907f7b3ba366cdd682930');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', '7c65b83a48ab7aa5', 'cda43176bbcfbea158afbac4ec7b54c0', '', '0316358689372fbbbd082b15222c73af', 'f0def3500dd9bd23c88c2cb86f404aab095166b589c907f7b3ba366cdd682930', 'db10d8712b34a4fe3990711b6172b86ddfdd5365dbff870b7ac0bbb6ff39cd4a');
INSERT INTO public.transitions VALUES (1, 'cda43176bbcfbea158afbac4ec7b54c0', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, 'f32d30c410fdf4c07f9a609938415d42', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, 'cda43176bbcfbea158afbac4ec7b54c0', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, 'cda43176bbcfbea158afbac4ec7b54c0', 2, 'certified', 1790000000000008, '');
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
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT pk_attempts PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.certificates
    ADD CONSTRAINT pk_certificates PRIMARY KEY (decision_id);
ALTER TABLE ONLY public.correction_requests
    ADD CONSTRAINT pk_correction_requests PRIMARY KEY (decision_id);
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
ALTER TABLE ONLY public.recourse_letters
    ADD CONSTRAINT pk_recourse_letters PRIMARY KEY (decision_id, language);
ALTER TABLE ONLY public.recourses
    ADD CONSTRAINT pk_recourses PRIMARY KEY (decision_id);
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
CREATE INDEX ix_attempts_worker ON public.attempts USING btree (worker);
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
CREATE INDEX ix_recourses_asked ON public.recourses USING btree (asked) WHERE ((stage)::text = 'waiting'::text);
CREATE INDEX ix_recourses_ended ON public.recourses USING btree (ended) WHERE ((outcome)::text = 'dependent'::text);
CREATE INDEX ix_trail_about ON public.trail USING btree (about);
CREATE INDEX ix_trail_at ON public.trail USING btree (at);
CREATE UNIQUE INDEX ix_transitions_decision_id_number ON public.transitions USING btree (decision_id, number);
CREATE TRIGGER trail_emptied BEFORE TRUNCATE ON public.trail FOR EACH STATEMENT EXECUTE FUNCTION public.trail_refused();
CREATE TRIGGER trail_kept BEFORE DELETE ON public.trail FOR EACH ROW EXECUTE FUNCTION public.trail_pruned();
CREATE TRIGGER trail_unchanged BEFORE UPDATE ON public.trail FOR EACH ROW EXECUTE FUNCTION public.trail_refused();
ALTER TABLE ONLY public.allowances
    ADD CONSTRAINT fk_allowances_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT fk_attempts_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.certificates
    ADD CONSTRAINT fk_certificates_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.correction_requests
    ADD CONSTRAINT fk_correction_requests_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT fk_corrections_decision_id_correction_requests FOREIGN KEY (decision_id) REFERENCES public.correction_requests(decision_id);
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
ALTER TABLE ONLY public.recourse_letters
    ADD CONSTRAINT fk_recourse_letters_decision_id_recourses FOREIGN KEY (decision_id) REFERENCES public.recourses(decision_id);
ALTER TABLE ONLY public.recourses
    ADD CONSTRAINT fk_recourses_decision_id_decisions FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT fk_transitions_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
