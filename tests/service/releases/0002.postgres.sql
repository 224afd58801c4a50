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
INSERT INTO public.allowances VALUES (1, '78de53f34c85278e2f955f17833ec9ad', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('c6c03794862fd264', 'bank', '5d53d513c358eda369fdc837a861d905fcaef8a81e8e35e012aec1a1552175da', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('78de53f34c85278e2f955f17833ec9ad', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303334666539663030386661653530333831323230396465633938303061623866323532393936633265653861653338353665303338353035393538326338222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2230626331313439353633653866666138366364306566626163623166373533376330323432346637626561313237626638636534663165626535366666616432222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.corrections VALUES ('78de53f34c85278e2f955f17833ec9ad', '78de53f34c85278e2f955f17833ec9ad', '0000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.decisions VALUES ('e4b2d6a64dc03e28eebd2804abd28757', 'bank', 'second', '93a4a83d0b6dd368c64ed56149bbd930', 'review', NULL, 1790000000000006, '085d47e48a0f7325287de7af6f1055b719ba889f9adf676a244609e2f73413d9', 'b875a197f5cd1fa8c7de918a3ec9ae11c48bad0cb362e52268c4a21af10e62a7', '\x0772656c65617365ce76fb5b2379da5e4e20f10dbff6cb223df050c5db7d4610149b60bed92170fa3352b2a53d973c98412685c599ff98e5539c7a7a2c6373a1184c29916de88ebc1ad24ca3fb77021307bc839a0344ee8e0917c5f05d9cfb7587d1c7212e18c54a1a23b8681a572e47c260e33f0e27bd41c4a4c566e2d5229f8893e5d23db6ed588e553932d2ba94a200b555eb63f63c512b6878e41e4e44d06f0cc96d4bfd3c503c05f0fa4430d6c89c6957793b410cf634eeee4649e5233f166d4a240fd5683e8784b3620c63d91c88c7a0520999f5efa43cf992f44c8096a3313dbc09c9b1d084ded1511a55e7054a6dfa90f007add1563d24eed6f53f7fb6b36adcf14c2cae2fd00ba4a528e403a24c051594d7536439bb04b1c32b6cab0c008ef788bff24c79048992096ca0dbc2e889461e4865499c2dbae8105cc6fac65ea14e24b0f52a3cdbbb776279660e8599ab7d165d78935cb766dcc1befabe7c87dffc6161a52965566bb5bce8b23989a5f983e6d448f908fa882478a2e91e631388a7f322e4c57d3f96eac30ed911d268207beed41fe056daa192a7ecaed4a81ed865afcd037b8c3a06f24e7e0d8ed6e96ccce4c664e41ea4a1f66b94eb83ad51a8b31d3ee271686400da884f535fa72065698f55c397657a3e4172e03238cb7b26a41f25eae3d20e7fcd2548580de0afea086006ef18131efb66fec3f15c1da570c1bb5808ef2d270875bc3127da3b16bb1e17d7575c9f248cd82d18de6a86ad3819b2c9be9d62a4f52ee320cd71b370467647e2af3045df7541e3981ecf3c2fbb1257a4e898dd70d56cae8968383a57e492c3db76dfa9f7bd99948305b5758d53baf8ea7826f93ca393100a3ccfd3590dbc43425a45667ec1f4b6317fca6ad91a2aa7370d83e51877bb0d1204e2b12e292b88e80df035a30054532e985fee519b98bc38232fa2f390f08758a22961c4df1f45eb554d13858056e2be76e58f01801cc7247439bd05b7f50aee0b775e8791f333258201ca0ac9c3bcb92c4cf1bc071764e38e4cba245c360095b200f574d22b727a363b1b9543', NULL);
INSERT INTO public.decisions VALUES ('78de53f34c85278e2f955f17833ec9ad', 'bank', 'first', '93a4a83d0b6dd368c64ed56149bbd930', 'certified', 1, 1790000000000004, '0bc1149563e8ffa86cd0efbacb1f7537c02424f7bea127bf8ce4f1ebe56ffad2', '7b385917ee4d8400747650a6c3d51e8c2023cb3d64141d8c887d54cdbc9abeca', '\x0772656c656173659098c97b58ed780a67780533b0e7efeb6a32935187e78517a6e6342bec29c0ebe0b36774df7edfab45b9667fc790ae9840c6c1c8a1917c322a4f7a39f6e3d9ac92ee36935f5122e6491f6bcb025d70fe0ec0a5f4c7ca16469c3134f54c4b91396052f75e58e6d3515ceb3999c2d69bba1fac7673fe0e4ae0b3f6f1fda13928737fecbeadb10ec6de0d9457cf08f811b0d43d28fe21bb36c4341b0b92d4049f7eea4c06c9d26df6195eff1e8c220579ee054c745b8776d8590f4814111f89271a6428c0351163f3c609a5a5498420818061d78d00b4d12e05a73b3fd54109b27bc0c28120c946350005f0783eb7269220e157f8fa0d59333b2f45f91015695738889600801bc52a6272871f66cc20d5c2575cbf986a7e649123550cc98260b7a0279a8832d1d50c7917b5da955ea7b12798cf93aed13313b0fcc899042986bfb12848bafa27da113fa1617d041fb78b6ff5c749fd163f9924a659fb28211634c2ad57667fc27f5456bb3f9421cb0074ad25e9205e83d54a68825843cd81174e2d30cd338da0ce5c559dcd0470b665761a325c0942ee419a64e8e2fbc4016811930e4582a52eda1c0bc2e7735faa1aa210ed17cfe8758a17392c23f6ee833c35833ea4f316be4e392c67bbcebdfde689500e1ec5b8f97f46c3dc2a3c9197affed4c78274087e054fd49daba3e7c9db76f233fe2275eba185b367aaac0a1da98e277db6ce78b15775600f7cb79d66d8003b36e5cd0360d907601c2c6266689c8fd2df5c0f178dfc50e3a176260702e8f818db0885d2722227953baf04638f9cae50c5661342ecd97c401544baf599844f4dbcb7d3ff1e251b23aa77bfdad79db89eb8db14f95645f580072488b6aa0b9dbf11c338a7ba0505ca72016e4c9078505d6fd0c622d08e04cecd547adf39322a3ea00a2589c23b17833d71ee672723de80a60f93bdd0d9e618c6e97aed722f3fa7a6c829741dc07b14fce2bd265b0e82b6f57529f5e18588dd6fd6984e77c61bd056583c0fb9fcf9b6caf193a366a27db94958eac8cc46aa7358e512ae68b8', NULL);
INSERT INTO public.erasures VALUES ('78de53f34c85278e2f955f17833ec9ad', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('e4b2d6a64dc03e28eebd2804abd28757', '\x0772656c656173652db2830848596c4f6cc177637cdf018788161a84c4d461560881b3e6403c91226968d54b97f7195643c6fc9f32cfc7c11eeb2983aecd7ca3ad8d91add95c6b910fba42fa155b53456a65184883a522ad108bc977b81e7da6b00f106093217b3cfdc143d3da57d88389e26aa92f19b1b359a0aeffc333fc', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1, 1);
INSERT INTO public.holds VALUES (1, '78de53f34c85278e2f955f17833ec9ad', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('78de53f34c85278e2f955f17833ec9ad', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '78de53f34c85278e2f955f17833ec9ad', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('78de53f34c85278e2f955f17833ec9ad', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('93a4a83d0b6dd368c64ed56149bbd930', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1);
INSERT INTO public.outbox VALUES (1, 'receipt', '78de53f34c85278e2f955f17833ec9ad', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2237623338353931376565346438343030373437363530613663336435316538633230323363623364363431343164386338383764353463646263396162656361222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', 'e4b2d6a64dc03e28eebd2804abd28757', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2262383735613139376635636431666138633764653931386133656339616531316334386261643063623336326535323236386334613231616631306536326137222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '78de53f34c85278e2f955f17833ec9ad', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('78de53f34c85278e2f955f17833ec9ad', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', '36a2e7956dc578fb80c10c3cfde9b8f0834e0175811dcbfa359b40bce263b3e0', 1790000000000004, 201, '\x7b226964223a223738646535336633346338353237386532663935356631373833336563396164222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2237623338353931376565346438343030373437363530613663336435316538633230323363623364363431343164386338383764353463646263396162656361222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', 'd165f3eb7ef3645d18297a7139a8c51cff41bdddee282087e74ccdd19668566e', 1790000000000006, 201, '\x7b226964223a226534623264366136346463303365323865656264323830346162643238373537222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2262383735613139376635636431666138633764653931386133656339616531316334386261643063623336326535323236386334613231616631306536326137222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', 'c6c03794862fd264', '78de53f34c85278e2f955f17833ec9ad', '', '', '0000000000000000000000000000000000000000000000000000000000000000', 'ef3d03ae6dcb30bef3f54b243b298dc96ad7c664af887586fe3ba5a6b096bc0c');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', 'c6c03794862fd264', '78de53f34c85278e2f955f17833ec9ad', '', '', 'ef3d03ae6dcb30bef3f54b243b298dc96ad7c664af887586fe3ba5a6b096bc0c', 'a143f46c55121ba780d1e8abadb665b18ebc6933d254b68edfa5b8f61ff1ba7f');
INSERT INTO public.transitions VALUES (1, '78de53f34c85278e2f955f17833ec9ad', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, 'e4b2d6a64dc03e28eebd2804abd28757', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '78de53f34c85278e2f955f17833ec9ad', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '78de53f34c85278e2f955f17833ec9ad', 2, 'certified', 1790000000000008, '');
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
ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT uq_corrections_second_id UNIQUE (second_id);
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
