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
INSERT INTO public.allowances VALUES (1, '9757f09c06b9afc9d6f842e9d28be622', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('282583b331e61a6d', 'bank', '55ecfb0ba1945e841be9fabd51c8c19cbd5ecd2f75dfdf93e1dc42efd6790be2', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.certificates VALUES ('9757f09c06b9afc9d6f842e9d28be622', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303130336536643931646462636464376439333735653134383839393536303431663166666337383261393135643363663366653763623335643564383932222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2231366161323536306563386562656536653632356630373763356663646438333163396362353932343030353036633738366461643161383438306662336435222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.decisions VALUES ('63ecb5b6da62acb7725901968fe45724', 'bank', 'second', '3198387a715707bf18be27d071dcd805', 'review', NULL, 1790000000000006, '1468f07a5b8b7e622c723bb1f3be0708b33c8b4723a27e5a36fbc28c7a75c8f9', '18c120c876b5011e36db8a96fe7d975eb0bf00f539abf81064254157fa382817', '\x0772656c656173659345e8fefb8d8a0c5bf86dbdc5ce6d6e24040bde7e33b5a14615a1867f9610940947f16c6ac075bf5354915770d6318514dff6eb306dfa0d1a6309b3e859258ef2a99958a47aa4f935f7646dbbad3ba3aa8e0e17a257907cae9ca68e693fbe353b621d61bba434362f19c040ffb5a11efa0e4913f9a0a4252b87e81058abb52c659ec2c30a0cfcbcfec5dab894f9296189a987ea14eca01da2a52ae2274dfb955d04177747be549daf63dbc36f866084ab9fdff26115c9483c2a69e6fcb3153f3ef6a7ee6ad927caa6f89071b3bd879c67424af475bc91fe6cab3c96192aacb874d999a9a12ca9934680c4236025656b6302db3cb6b26acbc5199ee386fb457aa3d1b33064136b58e54607da9ee34382877b2db6e0291f19f5b2c39b45ab6ba378e731564bfd65af60f5fc858da480c179f03825ecc6392695cc36f3c5345a70233627c069cfe1d50a0964ad62922c3c948445aa8523e19d5c7aa631d32095577145c424528d83f1af25d64d97ef8831828fe7fb1dfd6ad128653480903685f4619ae49936d40ea1134032fdc135fb9f6fe4df422f560c16a42488c5472284f5d25b54f025c4eae2cfae0b299d634b547914db178970b29d74f96b57d6d038fcae3046961a28e27515b63c83d20b2faceb4c06ef180f77a645fc3757a534aa764c771742f461433fcd0fff4e8cc1b55d55505ebae8ffd1aa1f6fb6da3dd99553e534c0e75ab3964d48da4a416fe94830942922ffae5c2b1f3a91c0e0f0cc28f64e2575866cc3078e91789db16bd7022234f67e5e239601354da02182b2f684c302a7ebf9a1fed88d7aa2f3c1de69b7d0f730f1f8163d1d176b91de46d24f47c9952fa39d0629714cc1efb011fb1b29d4fce68a603ce0cab75f53d25148c82fe47d81297797aeb58406a9788a0077f8a7f9ff704b3cbcc48bad6bf978316558b849bd4a58b94f986c1855fe59f8af30bafb3a5a05aa8986a59a0a53c67d8c2b68fb290b1b2edc9c22a53d81c58a00b4c6431fabe64b4619a77e5a58bb28f21fa970de741e175e43a234523a0497cb43490c90f3', NULL);
INSERT INTO public.decisions VALUES ('9757f09c06b9afc9d6f842e9d28be622', 'bank', 'first', '3198387a715707bf18be27d071dcd805', 'certified', 1, 1790000000000004, '16aa2560ec8ebee6e625f077c5fcdd831c9cb592400506c786dad1a8480fb3d5', '5541510c31b1b1a85f3b7e1b3fa00b31ae7aa364a1660f6a7397640f31bccd22', '\x0772656c656173657e5ddbbfb9ac1a1aa963ca1ff135746228736e0d5bc1350d0b96cc39937bdd241150ac183b98aaaa87172fef6759de2744f890ac4aa5b65aec3c1c7c57393ada8fc9ee63c029bb77959c6c5bdbe5e1781e9c952fdf2ba0247a70cc47536801993da8040969ef2ea1773ce0b7395abf6523c7982dba48bca7324f50cf21ab64425d47926a96dd5a02f566f3dbd28ede86ab21e4ab733102afafa477145f7bcddda42a0e8cad5bd9657e6ee71420cb1611a225daaecd0e77ecb8b548b0a096101ee36e8dac9e0e89b8aead97b4af1e5ba8908227aa05428aff3e9ec6c5df25950e80de3ecbdcd02673d01dd88b87a3d71bfe7354a4a311e7c7bb60043524a71a11bbe0de4d2fdb1b5586c916f6dcdbd7d3534eacf59844bb757869269ef5c2f71a31e4f08ff9c83741b0431043460a0ca95fba76a91bd1e650fbf84709218ad1397c70a81f8df02171f30e4b0c58169f3248b32381898f038923b25167bea965a1d9cf0d1f2ccaa7641a030d21e0f3c05f1eb627a11382f99a1bf1de26e2a4ad3de2b068e5ef50d107ce91881e2c7600884a5586620334bfdccc25f88c239f9bd963cf6907e9a305ed3a409832a0192293fde2bb4697da5600daa6d808a4b84666533f2c7964c800ad20dc45e96611f487ae268dbdce15bbb4ff8332e9f24c7cfec946a03a44f6766875ec8b1c85496b50beb5eafb71521e295218d0c4641e26913a22878e5f324b62610da82f9b5d4e24eb9d1e8dba432a3f7c74409b40149b2acc59fefa3ba03f329c889acd89d759e6de96a2ed7fc475d3338f36a2d441ee0d4b14140db3cf9b0a03449c57aac28d7831d673403f3d7fcc0efaf48e4e8baec4bd061e93a363d2ad4443c15a243bfb90df210df59264d71542da949d9acb5ab3921aac8505436950449e286a67de6beb7dad1d9cd533c27e915fe36959078802081260ee6c032f500878013b950fffd507c927d94ae2651fcbc66d5e46c47d28cad191311044f849d7564ece9e7252e4343907039a51232d073b598c786e26082cb3091a3ea469a9c2ce2ae7559e', NULL);
INSERT INTO public.erasures VALUES ('9757f09c06b9afc9d6f842e9d28be622', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('63ecb5b6da62acb7725901968fe45724', '\x0772656c65617365f2f5bc8a917a7efafab6a194a84b6e53368f28ff15f6b5a41e221069b3fcae8a48bba3b1d65530855c162b976e2518f52ed35d7ecd6960758976b278c4007d67ebde1bdc925f0206115fef970e62c58049c179be38c90a89391cf1d3dbe84ac39b26cf1f2480e052db372f0a495eaf1cf034e35ef57c55', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1, 1);
INSERT INTO public.holds VALUES (1, '9757f09c06b9afc9d6f842e9d28be622', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('9757f09c06b9afc9d6f842e9d28be622', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '9757f09c06b9afc9d6f842e9d28be622', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('9757f09c06b9afc9d6f842e9d28be622', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('3198387a715707bf18be27d071dcd805', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1, '00000000000000000000000000000000', '00000000000000000000000000000000');
INSERT INTO public.outbox VALUES (1, 'receipt', '9757f09c06b9afc9d6f842e9d28be622', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2235353431353130633331623162316138356633623765316233666130306233316165376161333634613136363066366137333937363430663331626363643232222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '63ecb5b6da62acb7725901968fe45724', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2231386331323063383736623530313165333664623861393666653764393735656230626630306635333961626638313036343235343135376661333832383137222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '9757f09c06b9afc9d6f842e9d28be622', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('9757f09c06b9afc9d6f842e9d28be622', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', 'bb7e19c7dfa2550b3daa97c42ececa467ea6c9f22d1654fb9030be93b6161180', 1790000000000004, 201, '\x7b226964223a223937353766303963303662396166633964366638343265396432386265363232222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2235353431353130633331623162316138356633623765316233666130306233316165376161333634613136363066366137333937363430663331626363643232222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', 'ef7fe23ca231749bd3bb507f15fe7a6b3da9166959c83aff4e965ab28cec3f30', 1790000000000006, 201, '\x7b226964223a223633656362356236646136326163623737323539303139363866653435373234222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2231386331323063383736623530313165333664623861393666653764393735656230626630306635333961626638313036343235343135376661333832383137222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.sign_ons VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00', '00000000000000000000000000000000', 1);
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', '282583b331e61a6d', '9757f09c06b9afc9d6f842e9d28be622', '', '', '0000000000000000000000000000000000000000000000000000000000000000', '4c02aa91c20a61d3da54df121f9c6693709410fd0fdc7be9619963d219c11098');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', '282583b331e61a6d', '9757f09c06b9afc9d6f842e9d28be622', '', '', '4c02aa91c20a61d3da54df121f9c6693709410fd0fdc7be9619963d219c11098', '1cb387c2448f9e29bbb5aff2753f1710495f1a9818200e8837ac1fdb496c4019');
INSERT INTO public.transitions VALUES (1, '9757f09c06b9afc9d6f842e9d28be622', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '63ecb5b6da62acb7725901968fe45724', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '9757f09c06b9afc9d6f842e9d28be622', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '9757f09c06b9afc9d6f842e9d28be622', 2, 'certified', 1790000000000008, '');
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
ALTER TABLE ONLY public.sign_ons
    ADD CONSTRAINT pk_sign_ons PRIMARY KEY (hash);
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
