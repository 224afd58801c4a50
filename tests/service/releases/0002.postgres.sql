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
INSERT INTO public.allowances VALUES (1, '985e30c889a9be70b49ba0ce63d92a26', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('8fbdb7e51c08a0e3', 'bank', 'abc62390097c11b0d8b76d9139af08c6f2fd1d757bb75457d0cf677f143399f2', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.attempts VALUES ('985e30c889a9be70b49ba0ce63d92a26', 1, '00000000000000000000000000000000', 1, 1.5, '0000000000000000');
INSERT INTO public.certificates VALUES ('985e30c889a9be70b49ba0ce63d92a26', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303866376534616263623435383137666435633561393064643035666235636334613264656162376366616432636538313931333734656133663661323034222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2232363837373166323965646266386638616163333139643034653436653737366435396233333532396534633464323133373363653435306161623530386631222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.corrections VALUES ('985e30c889a9be70b49ba0ce63d92a26', '985e30c889a9be70b49ba0ce63d92a26', '0000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.decisions VALUES ('0c1798c461636748d467065b1cd58fa1', 'bank', 'second', '627394eedc6ed2e7c17c72b3d3c9a5f2', 'review', NULL, 1790000000000006, '07acfd04ddf87f8659c637506d193f7bf79461fafe0695e0278713aa8e579ce4', '8773012620474e0ba35ed5c28f7b6b8e8e1a01482c16a082d4a0272cb569b6bc', '\x0772656c656173651523d541739280cdae07ba6287b6873dd3123b09a255ea0eaca43063336c013902735806d4db933c9b248b703b039bf92026d63252e3053ecb2d92d27e6f767792668607230f87def5eec50a4a345e31316beca73f3174dba719790ceed22ba0df3e21cb2ebb710728ad5d38de934fd294d7f3a638756622356b5c73b24a4cc280f1a8e76ce6ad39e266c676588f2af4630f2beb8750fe54955d531e9040364d1dab042d935cd745001498921e6cf5d0dce363057651e90f6187eb0dbf440346201e47f08e7383d2b1be0f90d4aa1041f0e4e6dbe1a40ba0bfd1b749c88b946553f7149cb350c56b783cc1af0c34db4738db9d75e97545d4b9c74d1f58c86d39344b793b1ead0949d7eb7b24c8f3539207b3e08753af65ec8b730058b4c5eb6b27ccfa4a0ca5ad36b9339f0b5cbef0ef996be5ac7cbc851eb8b83b4ca94fa5ff8b1048aca83ad22b447a686319381cdab41465a5b936c13963c3da0ce8e760308053c1671bbc3f50f10a1b3555739830ea107e34bdf752ec0bc5cbf3e56f0d239e71d6b21448e1cf7395861e6636e7caedd3a1600ad5ab2b3fb81a87c22599936cb9b1a00abd340e06f45b5633c68cbe101acfbe365ef92ee371d6e141571cdb679d145bf1fb4349bd86fe0aaf15b7cd8db1c3836fe26e95467efb2183fa9a8b738b20d6d39b67efd8c3a9c5f157ef8da5b300d4af9805943b2c38cb72e2d4c0b8b854f902934dae2c3a2c13cd4fe48974cb9e53c6dc9f29f6e32cebd2736aa1bbf10dca260614e5356af782c573a2da6e1580edf246285224192adab516ef63cd7a3517b933afd31b7ffe256d8440562f19a6f2407f512d767967df5ecd129a82c49f69688c4c195e183f1d349306f82f8ae4e2d453f9183b4dca2df2fd8dec2c9e2ffb68c0fed6eaf22fa19f86802505b66ce1f9aaea7f07261342150a97eb841421e3230c0cf0129408c45e1184d5e8610a9bdbc405293a9ccd11acaa4f8cd7a6e39e155f77a398083c026befee3c32827e902773f8bd5f70e5fa8ec397268bf77ee7994478ef559815fd12b3e8dc1928fe', NULL, '20fc126780a07c62', NULL);
INSERT INTO public.decisions VALUES ('985e30c889a9be70b49ba0ce63d92a26', 'bank', 'first', '627394eedc6ed2e7c17c72b3d3c9a5f2', 'certified', 1, 1790000000000004, '268771f29edbf8f8aac319d04e46e776d59b33529e4c4d21373ce450aab508f1', 'bf37f96af8dd69b379420a3cbc016adfb6af860894813699ec8701436914e7d5', '\x0772656c65617365e4f2aef096ff5a5a20689af544c82cbb3f78b6615001565d77aa91b49addbfd024bb0a673df5d364ed327f1c520eb69e24ed6bbfb6eb30127a2e617cdec6eb01e10ea8a2d62023949913e28a9f2ab30079de65674164802e0d3ab22b1ef6b78fa1b94cc2af10b97697db87ce93415a7c6cfd05203fb0616621a142060c04cdc3c43b8547cabeb346f5857013aba595f59b3d8d6ef0febf88dce5023dcff8f5ea56d465c7ae99b84f8955f7d61de3dcde16a59f941c53e96e2c913cbacde632dcadbb625a88ad2fae8ac095b84f730914b1ad4577bf1c33e1d2cebb3cbc13867108976f4541ed04026ef208db8b893d01883b7178f8209ac156387936ad96992da44b25cd18018d64be46c13a1c5b8ea3072eac79de23aa494df73367b9101bb7a533f73ad183aac07829dfdb751db7809e862b05cdb3946500fc5582eea93c249d4513ba8e245b555b9d7bf93538e396ec8503919e6443868361697255d146484f58aa03cf353e65ca31cc8a6f639ebcdb26e2a9eb70cb87a7388c5c74182366adede1eb5056a797debad62af9e8d001999667930cf694339389252c58485e64f99f2cc15fd8ed19e51a179853023eca4ed32b24be3a1a15f172434735804753fa7bc665efe8579a31ccca3eaf5832665aa16272e5a122fb1d9d1863a5d60606341ae9252a1f45c755572bb947cded8b6a0aa687b1fbf55d0bb8c85e90c92524b2954913a999c08db5b968789911843782434c0ba4f3d5f66a279bd3e7d0be77228bf8191ab66e6a1eadec5dc7abff8f1deccf190b95750edc5d1a2c5d858b23ed8875b11f4a9adb8520747f1fb02faadb52022f1870eb241f17c601154505f8257537b1a6bddc5ca0a2f2df46d1aa0a35b968bc853b45282bf0b466839ffb05a3f3bd039639cbba792c5987bbe544f5f99efd2609f92e772ae0f99bc0edd2cb405601c79321c64a55ac3876f6985a0405e35e7afc34eb42e28893a6b93cba1c43f901d3ae3a14b88dca868e4636b27595268d0608a64020550112d6524afb6952a2fa53564e04c74b7b1f8bf46c', NULL, 'e4175279923be430', NULL);
INSERT INTO public.erasures VALUES ('985e30c889a9be70b49ba0ce63d92a26', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('0c1798c461636748d467065b1cd58fa1', '\x0772656c6561736559fc8f785d3b2fccc6a160b985cdf525f34f378560223bfadbff8b9c52c30a84de5810a152e8105382a91d7869a149d97b975eba027d2e12aafdb64de0d9c5696fa9b9b77de892084ca432ac7db459e695318a707fc89a4eb749ca4f0cc75318b567f8123bbc4c37843a813c1b2c2bb6b63e6fd0f0316b', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1);
INSERT INTO public.holds VALUES (1, '985e30c889a9be70b49ba0ce63d92a26', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('985e30c889a9be70b49ba0ce63d92a26', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '985e30c889a9be70b49ba0ce63d92a26', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('985e30c889a9be70b49ba0ce63d92a26', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('627394eedc6ed2e7c17c72b3d3c9a5f2', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1, '00000000000000000000000000000000', '00000000000000000000000000000000');
INSERT INTO public.outbox VALUES (1, 'receipt', '985e30c889a9be70b49ba0ce63d92a26', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2262663337663936616638646436396233373934323061336362633031366164666236616638363038393438313336393965633837303134333639313465376435222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '0c1798c461636748d467065b1cd58fa1', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2238373733303132363230343734653062613335656435633238663762366238653865316130313438326331366130383264346130323732636235363962366263222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '985e30c889a9be70b49ba0ce63d92a26', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('985e30c889a9be70b49ba0ce63d92a26', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.process_numbers VALUES ('00000000000000000000000000000000', 1, '00000000000000000000000000000000');
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', 'e1d79bbb7f2888d4a711fc166d06a67eca985933e998d17746763c99c3b8c1d1', 1790000000000004, 201, '\x7b226964223a223938356533306338383961396265373062343962613063653633643932613236222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2262663337663936616638646436396233373934323061336362633031366164666236616638363038393438313336393965633837303134333639313465376435222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', 'ef0ae147923fa8f83d8abc47a75c0e1da0e9ef3963a8dec1c698330c92e5648b', 1790000000000006, 201, '\x7b226964223a223063313739386334363136333637343864343637303635623163643538666131222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2238373733303132363230343734653062613335656435633238663762366238653865316130313438326331366130383264346130323732636235363962366263222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.sign_ons VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00', '00000000000000000000000000000000', 1);
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', '8fbdb7e51c08a0e3', '985e30c889a9be70b49ba0ce63d92a26', '', 'e1d42e1bc7f38ef8db953649a81a53b9', '0000000000000000000000000000000000000000000000000000000000000000', 'a6634f73d939dcaf8b3ad8b34ea0cc1aad76ef4eed0bcf6c3b677e4abe8ce5ef');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', '8fbdb7e51c08a0e3', '985e30c889a9be70b49ba0ce63d92a26', '', 'e1d42e1bc7f38ef8db953649a81a53b9', 'a6634f73d939dcaf8b3ad8b34ea0cc1aad76ef4eed0bcf6c3b677e4abe8ce5ef', '7296ae125dd041b921453f3a3a9ccc1002494339e7f0a67cc0f72c988c1b3c1f');
INSERT INTO public.transitions VALUES (1, '985e30c889a9be70b49ba0ce63d92a26', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '0c1798c461636748d467065b1cd58fa1', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '985e30c889a9be70b49ba0ce63d92a26', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '985e30c889a9be70b49ba0ce63d92a26', 2, 'certified', 1790000000000008, '');
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
CREATE INDEX ix_attempts_worker ON public.attempts USING btree (worker);
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
