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
INSERT INTO public.allowances VALUES (1, '76916ba946f3f7597cb0487da507bb0d', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('d05d458365c317ff', 'bank', '1567bab4ac094a4934303b3b54f84f2f5f814ce8dc1fadd333637b43d51d2153', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('76916ba946f3f7597cb0487da507bb0d', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303464323837613139393534363933393061366130626136333437383735343964653164616332656439356430613261623434643238613661333038313939222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2232336636613864633462613732343938656534373165343164643931623932393138623162613431363661663438393330336161623162313634393533656561222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.decisions VALUES ('c53f9fe70d950af10ab06f5a4d637d11', 'bank', 'second', 'c19273cc4d2f238532a5bd497a18a568', 'review', NULL, 1790000000000006, '0c1ef2eb0750f0ff18e842b244b7a24ddb4cabd3ddca00924c1b8c82786106ba', '167f7c0c2d6436f3a2221b0c28c7d603001af01861e94f354ce221049d502b76', '\x0772656c656173657736622897a948772f28c3a09732ef947a0f790de14fe8af620cbd8007467584090853cf32f005a1cc623c3f8327e6c1712a9730e4056268e8a188aa05f308f308f4276839e239209ca63693d343b586893932adfd1433daf79268ddfe981e59e379bd722b6a9b2c6cf43cd5e2eceeb050d611d8018c7959f35c8c477cdffe485582a3daaaaab63551b5dea30980d2188546963c2d67df71e37306f3e10ec62394248d34bd1aefd5b5cefea0c899478ac317935de67713807f02cc9de55a4ae6c5500125201b9a67a83a3589af7feb3841be7a70d7fb61373e2b3e55d3547101e98742b690f036dd427327f420c3ab89565fe27bf5b5b70cb3a62c6502563a013ce4ce17640990755a9741776554f452cbe364264ba9a73d978fb907ddc2d985c462ff71f6157586224fc4ea89944c769d685017e5508b71f1ca167b3cad10dee6fbbb51e1144ad7060a7836cc21f7638ec222143f8fc518ce3bef410361ba8cde774bdd7d3b9546117024ece1c1e6a5fc40edbe29579051c3c5a447d2546b3f1f956114e9e8ba029843d51084915c354fb15de07baa54d6c67fea02b18e6ba6bef6fe40ece1412b1bee881b2ac254dec82f260054e5117a72e87aab7aeffd8a35a73952d950de04440118ed493f73ab8d9823c4380dfec18e4c5c9e654adcee2d769e801670d71253605a668a3beba51402e3705aad93435a373317bbea8487d2811927167b401f849b83951856225f5287bb98ca5cec22a4b37abef5d4a241c9d278da4bd3edf56d0721ae0ce27c9cb7d3183aeadbf2096a188b26ee0917525957dbe4bf20fa10b1ccf77b0d6b9c05368481b1646ccc81ed38d1cbcaa6ee928d85ec4544e45e038a6f46b201ce9ec9eee6f507fa3b0cb2f23b641358559f67ea7d229aaf2e3053eb11b9ac17fc247371efc2700615a4185048094fc09717d9cbb8d6605aec2050bcaa68473253285c703cce11635682afb955b80c199cde51f4709e756ce2c901bd6250ed26906e1900e1e0c607aad44986ec3fde0927c8cf5c9dee6c41e42a72fba26d6ab48c5dc643a3f6', NULL, 'e875a0cf7db153be', NULL);
INSERT INTO public.decisions VALUES ('76916ba946f3f7597cb0487da507bb0d', 'bank', 'first', 'c19273cc4d2f238532a5bd497a18a568', 'certified', 1, 1790000000000004, '23f6a8dc4ba72498ee471e41dd91b92918b1ba4166af489303aab1b164953eea', 'b50d1c57906f33125515adc0ee40c6101fb7cb236e6072c219c2e3791468c71d', '\x0772656c65617365ac7a865f0a30bb49ca88513ecb9d0ad6f3b1d1bc0913409cba6a3a9a6508e3ab999b6a902001fa4748e94312cb4ce954db598a3938959e79a3d28b661f8ca8400d193ac26a6b4182e3c23de71ad7a6e90b5e36d06e0577f1056d556392db3cd572756c7c9c4bac3ab95eba8c0f826f9695931d31d0af661cc160d05f883dcf8e7b265c566f5a4f20896ff1992bd4cfa248739ca74677d0092a5adf4e898aa935932522cb07fb3213857ed6e42524438fb4a37ff8ec0236450a89ce8f096fa7157b18dfd57a4978a21417116afff2e1e27e7a582b083543f06f948851a9872d93955ada977d1caf2d712bdcfce8bceed15ab358eb28de5cafd98ae0a32eb719bbfbbac18456ade20d7bd069c2d163028853f8edf5b1704a56dfa1ba5e2e2d9d38262faee52577d36cd280e0a5dcc822c49e87597a39a5b2fba7ed81187b5b710aa5d29cc68a430f26a30a2576c9141dd5446efe12521cfe40f1fd4e6f967f5d8ba987c913ad874dff9834c243bf5efe8eafb09f9f541a88e005c1e9769682f3b779d498ffdaf69a4ca20fb963bb19185a149c369c883ada4732c0a43d1b9f930c4639935128dcf8629d0a550c1feb17f20609b0347fdef7673d0d1e0dbba5b9eaaaf4d2eb4fb55cfc4085a2e8e408411f142d434a068e12f7e4b56c2e98ff7fb151dd6deffbfeb4e1583c467283bd0e279aba2f38d951f9cfcb26d00c03158dc9e0e49a3a09c798363478bdec20806dee48ed1d052934207299e357cf5d098a1ea05e4cb78567afd30b5a2c950c1637bf87b3fa46ea3d401dd15a549a8bf2e1562a81c6c6e359e48cbc96ed175d7f2653bee6b3e52989e0e7b4679010eea29d9f5b1e633f25a6c12b8241e334792d5a885ddf839dc56121b02e3f224ee3f3df1c09fb91d6131bd4bec19b6b38de4c7e93a2bd4ee0d09d4c040544a69c4a457df31c9cceedd7556515f42d87d9ff545348f4e92f97a8fb157621b167fde8800d7c3d46717e1a15c80c0ba348e3d936fd3b90d48ed36a3a7301c9e87852603a51eb18adffabb41597d9f1d9eecb5e45', NULL, '13a201003a01be3d', NULL);
INSERT INTO public.erasures VALUES ('76916ba946f3f7597cb0487da507bb0d', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('c53f9fe70d950af10ab06f5a4d637d11', '\x0772656c656173658be0a37972e3cd07accd5f09193a6bbbe5d760008d6222f47a42aba1fef243968704cdaec0a15f1f106a5c9449f91bf082c48bf19cc68e7d179345555c05f7901c9b6e466cc252a4fd8a698c9eed5657b801b773802613dc0715cc15a67aec490888d5e79820b7c4e8142f754ec825edb0c0af77b3e7d3', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1);
INSERT INTO public.holds VALUES (1, '76916ba946f3f7597cb0487da507bb0d', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('76916ba946f3f7597cb0487da507bb0d', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '76916ba946f3f7597cb0487da507bb0d', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('76916ba946f3f7597cb0487da507bb0d', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('c19273cc4d2f238532a5bd497a18a568', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1);
INSERT INTO public.outbox VALUES (1, 'receipt', '76916ba946f3f7597cb0487da507bb0d', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2262353064316335373930366633333132353531356164633065653430633631303166623763623233366536303732633231396332653337393134363863373164222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', 'c53f9fe70d950af10ab06f5a4d637d11', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2231363766376330633264363433366633613232323162306332386337643630333030316166303138363165393466333534636532323130343964353032623736222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '76916ba946f3f7597cb0487da507bb0d', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('76916ba946f3f7597cb0487da507bb0d', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.process_numbers VALUES ('00000000000000000000000000000000', 1, '00000000000000000000000000000000');
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', '9c1d52d1dbb1b74716e7d4658cbc39bb9d143d012dd83048daab51c69cbee328', 1790000000000004, 201, '\x7b226964223a223736393136626139343666336637353937636230343837646135303762623064222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2262353064316335373930366633333132353531356164633065653430633631303166623763623233366536303732633231396332653337393134363863373164222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', '1e45f414991a3b30f0112cd1f78a3c6324b2a97b31e99029d6dc578ce073257d', 1790000000000006, 201, '\x7b226964223a226335336639666537306439353061663130616230366635613464363337643131222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2231363766376330633264363433366633613232323162306332386337643630333030316166303138363165393466333534636532323130343964353032623736222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', 'd05d458365c317ff', '76916ba946f3f7597cb0487da507bb0d', '', '', '0000000000000000000000000000000000000000000000000000000000000000', '30041052bc9c3b69a9eeaf3d080d336da34c9986b698abe6caae5acda973bb05');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', 'd05d458365c317ff', '76916ba946f3f7597cb0487da507bb0d', '', '', '30041052bc9c3b69a9eeaf3d080d336da34c9986b698abe6caae5acda973bb05', '23656abf2e8c932e7406f6daaeb1c4a0e577638c7032aae5dfa5082f56093ebb');
INSERT INTO public.transitions VALUES (1, '76916ba946f3f7597cb0487da507bb0d', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, 'c53f9fe70d950af10ab06f5a4d637d11', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '76916ba946f3f7597cb0487da507bb0d', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '76916ba946f3f7597cb0487da507bb0d', 2, 'certified', 1790000000000008, '');
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
ALTER TABLE ONLY public.process_numbers
    ADD CONSTRAINT pk_process_numbers PRIMARY KEY (name);
ALTER TABLE ONLY public.requests
    ADD CONSTRAINT pk_requests PRIMARY KEY (client, key);
ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT pk_schema_version PRIMARY KEY ("least");
ALTER TABLE ONLY public.trail
    ADD CONSTRAINT pk_trail PRIMARY KEY (number);
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
