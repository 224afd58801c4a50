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
INSERT INTO public.allowances VALUES (1, '302c6b8f755e535c8f169e94bb8ab96d', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('864ebca38bdfa49f', 'bank', '0d3aae92d43af5f8002285563a53f2bcd5b6e1c8e788fb1a91dd0a6c86e38c48', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('302c6b8f755e535c8f169e94bb8ab96d', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303362613239653866373630643163613763393063613863326431626265343862393935373462383566316434323366333139636263653161643033306636222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2231373764653735616338356665653230356366376534376235313438633339363534303864653637613461326435363132653964373434616531393064613737222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.corrections VALUES ('302c6b8f755e535c8f169e94bb8ab96d', '302c6b8f755e535c8f169e94bb8ab96d', '0000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.decisions VALUES ('6d9ba6a600ed3b3ad1479868d8054fd9', 'bank', 'second', '72658802ea5dbe576f3446d780c05daa', 'review', NULL, 1790000000000006, '087fb6f71d6b1c7489e573240abb2605dfe105e766fa46358d4fde1cdc5e93c7', 'b87770cb0044ce686310ca95a503e1a3e83e9059b7b7253806925bc04e094fc9', '\x0772656c656173655b1c8a9039a8d71cc9b62e57f6d0a569498c52771b789a850da151c8f307173fb7e816acb094505944e5fa6e8b3fad91080adcba4f1dcd20dfd2dfab6b9d2905ca7e1d6deeada86a67042d932bbad0fa1a728f9eab834756eda755448fe3b182c5074d7d99c7201a34ea8c55367ed5c0f903b9bdcb15b40a18ac22d44150a5cbb29635cc30d738550c8c7554d9ce66a4568c252889c8290bf3eee39a959323f600f850528f25a95a631d055a3853a965b64b21d1c6d05199a82e8b7df6badf42aa126e258cca5c6eb44b07ccf7f4d86a30a8b74a0feda67e799e6c89d78a8e92a65c4874ff47b77851384ec7238af5bc15cd3df05a4beb75662f8b661e025c39f58cc4d9b037051e56c7eec486d05d17e51156c779157827064c98a00e80cd9fc96bff944865f916b096d84e277737c8ed7b9e431098e01fb02309ee53d77af892ba8350319bfaca7ebfb0286028a8138bb04a266a25f665920844da18a198254f710211a745baafe6e460a53b05a29d0f3364dcc43b5ca2d4568ed8270da26b31bb58364ce404f2733331185528e04d2f23683e489f560314412b094c0b1c2225ac36f2ab815498c153781dcb5dbb5cc9eb38dc8594d0a45fd481cea0e998a9aff96bd56b4a8101ac856b7abcde3a9653a4198a1ad3efa628237d7ef4c77105068a9f145e31fcf279a13c181d79a8d8f60dfbaa7dee57ce3623f51af8c472ca213c00237733ab172fa7213166f725e9be53af348d4043814d606e10f319ae280606e9e4a389c31fccddda32dec89aa018f5317a1c39bb29fed57dce3131bbcf12a6a0846387492164ed69cf1d8f0f68c221dcf3976ab97121bc9d9d4798331d5fdd6b6743dde9f38012a598967c0af98961d039d7187a3b3b4c707daad248d547e8cfbbdb2590be3abb3cccff2a80cddcc5b574a3eb2d1ca8356d4f5d8194bed56a6ab1efe31f477218bcc66de2f37ac525359c62e83beefc5a9fe288f13db5d918cfe304ae9c590342003b98bfbc48ad3c0a4e59bb6d837d65172bbb447e9cb35821328d79421ea2dbce142935de0c39fefa', NULL, '78203f84fb3aefa3', NULL);
INSERT INTO public.decisions VALUES ('302c6b8f755e535c8f169e94bb8ab96d', 'bank', 'first', '72658802ea5dbe576f3446d780c05daa', 'certified', 1, 1790000000000004, '177de75ac85fee205cf7e47b5148c3965408de67a4a2d5612e9d744ae190da77', 'b1766c6fc2161248a75bdefa059e5e20be55c5d1f070c63c5d65480a6c695e82', '\x0772656c65617365c387b1303f77c479f1ad420ffa5ddff5afc344e251e2e7d53b2f5054358e4fd279cc6a4335b1e2aaac35274193cc87e5cde4982be9e2c14de940c2d2d558257451df64ad4c9f713d8a8b5de5a1b18c75774cb8132a83b11d2df67bc9a00691f84178979843922e907166831cdba63139a5a6337c56d56ddef4e8101f946edd6396d47aee2c60b10d92f7a730f2abbcd003f47b71142183e58f63fe227ad412d4eb5e7381c4bfd3d66e0454943fe0fca621147262f392920122ee3d18b31eb858bc3eed2c457ee2058df6a8aaa578def212815bdd61e541e48f2314f9368fd40e39771c4203e7ca318d4a3f28c826adf4355601fa4dba2f7af94a0bcac0e53d24de0a1d378b7051c22a22749b24c100f3d4734eeef271262e2a3b15a89cab0692cfabc867b50a5d3e5b6ef244df0de22d8eb6cff47026a747693c247ba2745d644c239dcfa0087507a7155a10c2181745db38991ced12b3c5954bbeffe3a449e8431e55253795642c6a597f1cef5ed87a1bf0683114f541a9c215641c163841ce3859111daa0e37cb011ba82cc4ed2a0ba2f4271b60df1d8814c888fa067656f60545f843db7076e53f88b985071d06b4596eb035d606792eea54accf4c150c87dfbfea8ec9075dec93e83c244160ecbb2091f5da0ca6a8e8ad23803b80481dce5fd99154d97802adea2e15a78d55a9f56193cc0eef3886e90fef4fec82153825c43bafeb2e8c9dbd21467f2778296cd71c4a43ccd47c86ff8678f4351e03690f5ae726fc26c5288d48fbad7933d73693fdc6b9366b832f9967cd6835a03743ccc48c0717e928ef108fff3800e197f8b49df2fdc9f0f297faaf166e42feb1f25f931521ebc7d6eafafcb254351705e6e2f326a2721cd2c038180a5a7728008d0c876da6f0b83bb6bbe3378f4e9e9ece2e9f67ba9b118c83c5554ac4ae56b26cbcd242b893737b93b5690883f0ab6cd1beb94df0acc3df7dd8d7d09b9be03fd00ae5b91dfd94fdf1b67a6f831572125545703508a734ca3806bbb2687717654558a04a14a4e424853494b4829ab34c', NULL, '255a675be3accbc8', NULL);
INSERT INTO public.erasures VALUES ('302c6b8f755e535c8f169e94bb8ab96d', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('6d9ba6a600ed3b3ad1479868d8054fd9', '\x0772656c65617365946b1ec86bf15a1d40e09047160030da0b5ba54d7f661929e7f75627096e889d6943582e434e6c03b08f269ba17cfd671e2c0b6f52d5a7733cd7d813eefa415fda6105c251ad3940e053ccaa1db3999bd2a479fc33aeff5e151ac5c92540c29786f47d56649596aa94b33224161e51febf722c16d13c3a', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1);
INSERT INTO public.holds VALUES (1, '302c6b8f755e535c8f169e94bb8ab96d', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('302c6b8f755e535c8f169e94bb8ab96d', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '302c6b8f755e535c8f169e94bb8ab96d', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('302c6b8f755e535c8f169e94bb8ab96d', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('72658802ea5dbe576f3446d780c05daa', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1, '00000000000000000000000000000000', '00000000000000000000000000000000');
INSERT INTO public.outbox VALUES (1, 'receipt', '302c6b8f755e535c8f169e94bb8ab96d', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2262313736366336666332313631323438613735626465666130353965356532306265353563356431663037306336336335643635343830613663363935653832222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '6d9ba6a600ed3b3ad1479868d8054fd9', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2262383737373063623030343463653638363331306361393561353033653161336538336539303539623762373235333830363932356263303465303934666339222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '302c6b8f755e535c8f169e94bb8ab96d', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('302c6b8f755e535c8f169e94bb8ab96d', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.process_numbers VALUES ('00000000000000000000000000000000', 1, '00000000000000000000000000000000');
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', 'bd24ee351c8783693714dbe88dab3f9425a53f64f082c0d0c8193d656c31a81a', 1790000000000004, 201, '\x7b226964223a223330326336623866373535653533356338663136396539346262386162393664222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2262313736366336666332313631323438613735626465666130353965356532306265353563356431663037306336336335643635343830613663363935653832222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', 'e562dbc300257dc1b5597e736c0aff8562c38ad5b9a3dc061fc1cfbf79306a64', 1790000000000006, 201, '\x7b226964223a223664396261366136303065643362336164313437393836386438303534666439222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2262383737373063623030343463653638363331306361393561353033653161336538336539303539623762373235333830363932356263303465303934666339222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.sign_ons VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00', '00000000000000000000000000000000', 1);
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', '864ebca38bdfa49f', '302c6b8f755e535c8f169e94bb8ab96d', '', 'f0cc8595e7e08b7df8f842a63c0bde4f', '0000000000000000000000000000000000000000000000000000000000000000', '33f637a81c29428f034038afc1fdb81ec53cb8642a376715c18bf7495645495f');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', '864ebca38bdfa49f', '302c6b8f755e535c8f169e94bb8ab96d', '', 'f0cc8595e7e08b7df8f842a63c0bde4f', '33f637a81c29428f034038afc1fdb81ec53cb8642a376715c18bf7495645495f', '804529ba2b855b5fec48fe3e59a427255bd72e2ff7c70ef0c34228709adf1c3a');
INSERT INTO public.transitions VALUES (1, '302c6b8f755e535c8f169e94bb8ab96d', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '6d9ba6a600ed3b3ad1479868d8054fd9', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '302c6b8f755e535c8f169e94bb8ab96d', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '302c6b8f755e535c8f169e94bb8ab96d', 2, 'certified', 1790000000000008, '');
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
