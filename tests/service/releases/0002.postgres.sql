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
INSERT INTO public.allowances VALUES (1, '6e6bcd5be78da9aba85adbaed4ff86b9', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('c6bf727da7cad500', 'bank', '156c3b456fa8dbc2afaeb203cf871a01dc71cacfab1cb7c2fd0441b04144e6d2', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.attempts VALUES ('6e6bcd5be78da9aba85adbaed4ff86b9', 1, '00000000000000000000000000000000', 1, 1.5, '0000000000000000');
INSERT INTO public.certificates VALUES ('6e6bcd5be78da9aba85adbaed4ff86b9', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230306235376631623063336135353430623934326533373934396565393335663137303637663630653135383162613330316161616565356537623865356365222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2230636362376666633334353537623031306439343032303134303637393563636632373638353536383064323362383234663335323131313939323430653437222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.corrections VALUES ('6e6bcd5be78da9aba85adbaed4ff86b9', '6e6bcd5be78da9aba85adbaed4ff86b9', '0000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.decisions VALUES ('8408b2c4d32878df7d26528f70c1bc64', 'bank', 'second', '672b930456c455207a2ee38bbfec37cc', 'review', NULL, 1790000000000006, '2bed2fe7c9da15412e963c0695076d4c375ddd3f744e50707d5e097678474301', 'a7e00b3a0e48556f69aea1f7bbdc40ca489c1ea60625b304a4df66365f46bbaa', '\x0772656c65617365d58f82aca332799c0c617332e357340c2ec9a3e7f35a74a6aa718edbae48d4cc13376d5ea7996bc6cbf988bf0f308b30cf28f7301624bd9fec72eb7f71ba465d928a5a634d9a0a75d491a5ddc9f7446ed4900c3e82d2e1efde098430b7d49ba9d530adac32f0ad8dd1cb175023fbf7ba7adb2e12ee89bc036891a9ba8e08ea6e565379db808168b7c50a23d169d2d20c489b060e894a066eda146ed20395d4bb619b29fc5daf91dbfbb6e1534a9304ee167c6a99e43c4d5fe37845b4b06297eb40827a14cb20de264f1a4ae7219f28372415da68b88011df4b582dc9dd5b235b9a489ecd77f645074e0b551c6a3179702318f37d3418ae6e7e751e5c6c5a0b6e45f3799dfd5094483088d6cb9bd6d08347e5ae72704bc722791cb7d7730a2674a3b985a302aeadf2fee559df3d1f9a8107cd697ddab51c38de0560d90366f941538d1592fb869aaec9992841e3e24c3a312e1fca7c2675b64d7c4af3d44c8530dea04868f1b273d0f22a908c3281eabcf14f1ce8c8a67a8afee838b22c8b3e6c2c2232e47af865975735f989c5f2bfc26fb5afb14dd31508f2ff5b09603547e50837e87b7875d1a513f061eda9f9b0a4572dd39feab9bdec49e7e889d16fd2c81d5175c5545407fa11d6af288291deb65cf2515e509d7a4a3b14e1e4431ffbb0401c4baff34270898fcbfc7e0957f521617bc1e685af47988a1cdb8c5d374dd86bbbb1e70d741ec070a8f37c5076c2f612a09467e1462159be6b91c8f3bd980f5b202879520157e3c8895c7754aea0dff7e38786ea11353db3d24cac132392c0a8708b8ad1363e051567676b0deeccd016d57d233281d75bc281e10e513f9925ff5da3879e4ffbe7f83aa6deeee25bc66d8633f78d4c5b330dfc9797c5c65eff7fc880f8718d3e8cf04f9edff8e2e63fad092e8f9030246d750af1ff178a1c96db8c2680dc99a06b7d6e9b85e530e45919f4579ca177f311be7484eec21a582980249bc8d1402cf5c47a591a7ebb353e5360ad8ff4241676846d98b041c48fed70689a1112b5b0694869738eafdd1ad9210a33', NULL, '106f34b1a6b349c0', NULL);
INSERT INTO public.decisions VALUES ('6e6bcd5be78da9aba85adbaed4ff86b9', 'bank', 'first', '672b930456c455207a2ee38bbfec37cc', 'certified', 1, 1790000000000004, '0ccb7ffc34557b010d940201406795ccf276855680d23b824f35211199240e47', '89c8e8418297650a10260b4cc9311118a7d59834be4ec141cd3baf148c03fcf5', '\x0772656c65617365ddd2045562af0b9aa099675d1aaa996b6ee278108edfd33c33c5b1493b131fd0ea0f0a7a0a60baa152329b5cba0a5ba6ec10b62890882b65e0c6075597953ea245f5ce071dbfd457cc8e8068a1b5300a6483d961f633d0b857786507e8b670da2f9b4c76a11f11520fbe7304d55b34941f6ce9878dbc530014cfe6d34b6db96eaba2d156bddb8888c899e58eda888de3f1d37fab6ee834d172b0f646dfd3b27a75350faadd21f01768eb3fa02d6a81efcb3b27564f6f034e750d35f05e505a2484dc09d90f0038fdaf2fe03fc6e48c0f401fe9d672e396f58e1210b26303220c5994656ca8df7afc8d732061599b8e24fafb91241a4c0cc28a920ed7a6b50f9f92ea2f1cdab89b6e6a5378ba274e07c3b45bd05e1e92f5b44f3415b202104a7461b2dfcbe9ad6e13a68f22048e580097058b58f1eea17a27f181fad6bd0b4d09490c27606cde05926bcf0b199d2bda142b03e9298797f5ccc69196183541b7942e7537174b4626f7378bb8e2e3bfda661265290462d3386aa60d812d2edb1bd5a8ab7b09e37d23bdee9563d081aab9666c3b6afffc00a463705bd43240ce5c4bafd3df04b7975534bcf67551d048ce069ab69e9d3b600ff39162203f44ad2b39797475c4e9fc4419c1f87a1357e8f7ccebc4906cb7757ece5de739f2d393745b48aad7115d22618adfd2ba5278bb0736dcb9d58eafc78b0364c8582dfb0a59233d73937f254ff9669032d30601b8eb233dbdee2d311bb444c3f343bc7da11d44b788feb10c68e9e36adbc9ec0d512f589c382c096e45b91e710b554ebaa80da7d1af8ac26c85775213622d5c4e6052a6e2dcd2c82bd63bf67a985c5a4b662a51306afa518744bf2385f23dccbc9f6924afa86e842c6766baf49c340acea7213d9ee0bee6a4f204a9f17ed6ad87b688ad80566edb250d6b50a7742bc97960a8bdc0f678a732b3c4157eccc5fe99ec39480d213225e8ba84d2a94e16f9f11b201ba95b0af8ad07494592bf3fddb34cf1df843f629c9712deae2e46c363b37e259f7753bbe2d1c1fe47dcc9d9267382', NULL, 'a1ea47cacb71b66c', NULL);
INSERT INTO public.erasures VALUES ('6e6bcd5be78da9aba85adbaed4ff86b9', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('8408b2c4d32878df7d26528f70c1bc64', '\x0772656c6561736594afa9a923df777180d6d028e92b898ac737f94b88b860e23a4159638ae30fd84bbd4939318fba75cb54eb2281423d7066eb7346f8c48c49d4e82629f1ff2c4b143b5d7c1b398bb7c0b8ce6e06531b4e35cb9588bc84ed68c3e3c0a7de975d73ae615f7a96eddb70b46b77989e48cb5b09c05f6677bf4e', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1);
INSERT INTO public.holds VALUES (1, '6e6bcd5be78da9aba85adbaed4ff86b9', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.key_steps VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('6e6bcd5be78da9aba85adbaed4ff86b9', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '6e6bcd5be78da9aba85adbaed4ff86b9', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('6e6bcd5be78da9aba85adbaed4ff86b9', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('672b930456c455207a2ee38bbfec37cc', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officer_keys VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '\x7365616c6564', '\x7365616c6564', 1, 1);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1, '00000000000000000000000000000000', '00000000000000000000000000000000');
INSERT INTO public.outbox VALUES (1, 'receipt', '6e6bcd5be78da9aba85adbaed4ff86b9', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2238396338653834313832393736353061313032363062346363393331313131386137643539383334626534656331343163643362616631343863303366636635222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '8408b2c4d32878df7d26528f70c1bc64', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2261376530306233613065343835353666363961656131663762626463343063613438396331656136303632356233303461346466363633363566343662626161222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '6e6bcd5be78da9aba85adbaed4ff86b9', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('6e6bcd5be78da9aba85adbaed4ff86b9', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.process_numbers VALUES ('00000000000000000000000000000000', 1, '00000000000000000000000000000000');
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', 'b24c85c983f47be4f2e8484806bde8e555a005a2424d3f211cbfa0aa1aac4c1d', 1790000000000004, 201, '\x7b226964223a223665366263643562653738646139616261383561646261656434666638366239222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2238396338653834313832393736353061313032363062346363393331313131386137643539383334626534656331343163643362616631343863303366636635222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', '2284f23fb021318b803c588644552811cff3bb87afd323b713a1aa1130ceebea', 1790000000000006, 201, '\x7b226964223a223834303862326334643332383738646637643236353238663730633162633634222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2261376530306233613065343835353666363961656131663762626463343063613438396331656136303632356233303461346466363633363566343662626161222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.sign_ons VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00', '00000000000000000000000000000000', 1);
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', 'c6bf727da7cad500', '6e6bcd5be78da9aba85adbaed4ff86b9', '', '8f1b5bb9093a66020438ceb3b11e1c8a', '0000000000000000000000000000000000000000000000000000000000000000', '152d91ac2edc78215c8be93dfc6d2d2560f694ef381733ceea2833e0bb64d36d');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', 'c6bf727da7cad500', '6e6bcd5be78da9aba85adbaed4ff86b9', '', '8f1b5bb9093a66020438ceb3b11e1c8a', '152d91ac2edc78215c8be93dfc6d2d2560f694ef381733ceea2833e0bb64d36d', '806fad9bfb1a8d6fa709b40773b77cda93a924d2f23ec86d4700261636d99f84');
INSERT INTO public.transitions VALUES (1, '6e6bcd5be78da9aba85adbaed4ff86b9', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '8408b2c4d32878df7d26528f70c1bc64', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '6e6bcd5be78da9aba85adbaed4ff86b9', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '6e6bcd5be78da9aba85adbaed4ff86b9', 2, 'certified', 1790000000000008, '');
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
