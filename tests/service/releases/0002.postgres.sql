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
INSERT INTO public.allowances VALUES (1, '1efdd842d688388466bf17bb5fd31ffb', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.api_keys VALUES ('cef92e5e02db71df', 'bank', '86b14f64b8ba24871747b23044311ae72deec8660b65e64a222d7c86cba689a8', 'read submit', 1790000000000001, 1791000000000001, NULL);
INSERT INTO public.attempts VALUES ('1efdd842d688388466bf17bb5fd31ffb', 1, '00000000000000000000000000000000', 1, 1.5, '0000000000000000');
INSERT INTO public.certificates VALUES ('1efdd842d688388466bf17bb5fd31ffb', '\x7b22666f726d6174223a226571756970726f6f662d6365727469666963617465222c226b6579223a7b2266696e6765727072696e74223a2262353062313165306238653039313235373763343836306662666630663964373632613735323366646666623530333563653432643564663965353632316137222c227365747570223a2273696e676c652d7061727479227d2c2270726f6f66223a22414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141413d3d222c2270726f6f665f73797374656d223a2267726f746831362d626e323534222c227175657279223a6e756c6c2c2272656164696e67223a7b2261745f6c65617374223a747275652c226665617475726573223a7b22686f7573696e67223a22616e792076616c7565222c22696e636f6d65223a222b2d203139312c30303020455552227d2c226c6162656c223a226772616e746564222c22726164697573223a2231362e303030303030222c227261646975735f616e79223a2231352e393938303436222c2273656e736974697665223a5b22736578225d7d2c2273746174656d656e74223a7b22636f6e746578745f646967657374223a2230303761316633316435616232323737326262323736386361633265356237373965623534653838303763373163633934343865616462646465373463623636222c22646f6d61696e5f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031222c226c6162656c223a312c226d6f64656c5f636f6d6d69746d656e74223a2231363636653566396133643133666337333536376130336563613065613230383762366637393366653939383732333034316539393564343031396363643563222c2271756572795f636f6d6d69746d656e74223a2232363534313739363334303731346638373433633530363336333935383438323739323735613835383232393166636332666133333865643038376537666435222c227261646975735f73717561726564223a3236383433353435362c22737065635f646967657374223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303031227d2c22746f6f6c73223a7b226571756970726f6f66223a22302e312e30222c22676e61726b223a2276302e31362e31227d2c2276657273696f6e223a327d', 'b50b11e0b8e0912577c4860fbff0f9d762a7523fdffb5035ce42d5df9e5621a7', '268435456', 1, NULL, NULL);
INSERT INTO public.correction_requests VALUES ('1efdd842d688388466bf17bb5fd31ffb', '0000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.corrections VALUES ('1efdd842d688388466bf17bb5fd31ffb', '1efdd842d688388466bf17bb5fd31ffb', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.decisions VALUES ('5834401e0086e5636e3b95e04bb0d34f', 'bank', 'second', '5e06017c5cb5c5ff097a26e7b1ef5b11', 'review', NULL, 1790000000000006, '1694baa74803a7bc83f7f80901eae80f704414219eb9919a3d88c5d6c336223e', '6a083313e5eb2dd2c88cea81b3b8b8ad6eee0077e8fba21ed790ba3e60dfd981', '\x0772656c65617365475de2e1476655217b9ee71260b8bef5d6f9dafc60d3ded131ad5f76de9a14e3e5bdf30c97353ae9beacf7ba9a9bb92041ea48bf4b3a9fe815c9b698ab10b37db2ab441f2617132399a49b101f11de1e210ea3e7cce559229c1eee8c4cef2100dfc4d822d4a0fa0a34288b2fd68f4846a4b6282059fea1d1f91e0bd5e8aa593ec084578121c57f0e7acebde6ee7dbd7952a7ad67ddbf4dddbccdb8a1e5db417032987b85076995b84dc9d9d1d7b94dcbb9ae37a9872468916861011b568290fa93ea8d05e8e980e2f9f5075b10acb0f1836d10a18eb29c11d0a7fea3adcbad2e51427876196cb890fb637860e2765cb15de8344a0ae2d9d4058e83aed2239e09567a026e2f1bd972ad2721d417295012ae2afda115f6c34c676f5447c57f64f11cfdda65452f0391d3e0cad179e408e679513e51a44c62c21a2b7fac1e882cec372739bf4767b3e2d62301bf1ab03fe055e1f65b108fad0c9a695da0d42cdc1b127afb77f9866fdc554fd0fc6a096689cc6a76ad6770b0cd40f7a63ac21adcd712bfc85ee3654af00a028905fb7ad48b65007d9b915a6461e1f5a5622614e1b2483dd4c34a384c7017eee511ed7135bad9f12adbcb350ad5b27c8beb1a71f50269bd7b84e64d003346fa65e3d0e1cb71939bca86d03fc8e18fff7943675844e24221240ba39a790938dc241e30de9a509ae6f579cab5459ea46df748c5896a159f111571dac09fe57e7868f146a87c46f5a3a017c95ef80f680f7a3ff5a1d44f07dd402f4f4d90e4e81bd47a2f7d6cd3915df2e8d4c5b1fb8f1c79d281b351ee2e5c857b42b7a07401e581ad6b7fe0babf19e09cea1b2a0c22ea0a8ff5a71444a30e2dc0dc376f1a9c08406863449a76fffcf5946329f5b2a442a78d8a43c61588f0045a52d05dec06bcadcdaaa0ee7c1abea8e82b4048f872f09141d0a86fb164135d267224df25545d47221ec23248cd7e64b93579eafb7c921bd67d03ae93b276bdd7132f3f874c14a06bd8a7092d4a3403e6a4c55d0c22e7532fb677b9c5f6065c044fb6e5695dae733b86c01dc87b5d73', NULL, 'ecfbf697a80adf4e', NULL);
INSERT INTO public.decisions VALUES ('1efdd842d688388466bf17bb5fd31ffb', 'bank', 'first', '5e06017c5cb5c5ff097a26e7b1ef5b11', 'certified', 1, 1790000000000004, '26541796340714f8743c50636395848279275a8582291fcc2fa338ed087e7fd5', '9fb40675adee13611c2af77b36e49c4740471edcd58287f0e387ee64c047ae96', '\x0772656c65617365c8d112e3b84e1ac990ab69d8dd04c1c4cb32781d3f44206c8e6fcaca99adf2b5ae7e2809f6bb435a5f9ebac50f14fa666b9b8c4126f469cdf80e2ac41d1a84b316a9ef9a80d4668483517a8def7c0cf5e35ec9c4c127e953d745f7370404d789e305ba397b09f4e7c2e30c6010e804a74aab81bb854e8bae21c68460a341af01cbe8b6b74d288bda9be8dfb057a4552093877837deaf8a22b58ae7bd35dd78d536d859f76c70ba79c37a7eb6769ff1a21fe2ab396ebf86d0b39f905a43e7434b1fd76bf6351a722e210d48d88cdd46e214e4e768b05e9e34a7604507afa90c5b5fedc4364789e611d07365d17e84dcdb652d4a168d633437ca099807b05836d88141892cebfc20b7c5c1afb1a0e0c5fe7f2918599e36f2c2c0632eb9565a684aed8a86ffd9334ae779ef3e17ec09a1b232b11839ae4d92337b85d314b86c097ad4fa7b998fd827fea27dadc76014b2b6ef1544e79f66b663fb9be5c80040dc0bc474a0706f2ee5fe9f0aa29fc2acae8173718ae2631f8f665afd475bd27d68743a75547f1195d246c7395db6878a6a2d0c386a88f6e862e80272e4989fcd1e468e22dc904cefc8eb2eb751f537b789320dcb8776f26a5a945c9e6ba9bb5f2f4bbbed1f2d16a0cfe31cd9b67ff329082367bd8856eea2a4d3ad3d38dfee96e7fb71acc8366fd7f982a4c484c81df8f8749086e93cb6f4d045a93e77acb5611a03111665a7cb8d4e673f935d7438a2b9da959058987da95dc2010dcf1316bc0ad6105be3094ebc87be11f9a134c5d09fafa034a5a3a0479a31557d1ab378421a5cdca407d44d66f8996664f2dfbf2545e546709c4be2f2306b17e3aefaf356cba7ee26a58cf226d7afbcb37f1b980a0ab0c361e9130d7b8098a6279f6755203f6c8ac3ba83401e23409f29ed97b76a6bb58815f39b21a4dedaac7103ea26eb174c4210b404c9039637d8ebd15a7919190ef3b369ec66e6cce84bf9cf961e3543145b01bd7c48df400be873e3e8ac0e2b51a413e5e3ab5ba804650858393ed928290b94389cdc73525dead694e798bc', NULL, 'ed8859b39924b9ab', NULL);
INSERT INTO public.erasures VALUES ('1efdd842d688388466bf17bb5fd31ffb', '00000000000000000000000000000000', 1);
INSERT INTO public.findings VALUES ('5834401e0086e5636e3b95e04bb0d34f', '\x0772656c65617365203d9555ae19f2659b2f6dd178499a1fffc58c852e1f4402c3c1bea0ad60c864afaf32326893df46d1ffeb5d1546399785205263d11cf27d970f8302d986d4a5e5a63b20988ee0d7dcb58cbaa9d43be9be96046e4e48cd18aefaaef038224c33f984ec90ef1a14a78cb51181135428120653352cefdca5', 1790000000000006);
INSERT INTO public.heartbeats VALUES ('00000000000000000000000000000000', 1, 1, 1);
INSERT INTO public.holds VALUES (1, '1efdd842d688388466bf17bb5fd31ffb', 1, '00000000000000000000000000000000', 1);
INSERT INTO public.key_steps VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1);
INSERT INTO public.letters VALUES ('1efdd842d688388466bf17bb5fd31ffb', '00000000', '\x7365616c6564', '00000000000000000000000000000000', 1);
INSERT INTO public.links VALUES ('00000000000000000000000000000000', '1efdd842d688388466bf17bb5fd31ffb', 1, 1, 1);
INSERT INTO public.log_proofs VALUES ('1efdd842d688388466bf17bb5fd31ffb', 1, '\x7365616c6564', 1);
INSERT INTO public.logins VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', 1, 1);
INSERT INTO public.models VALUES ('5e06017c5cb5c5ff097a26e7b1ef5b11', 'loans', '1666e5f9a3d13fc73567a03eca0ea2087b6f793fe998723041e995d4019ccd5c', 'opening.json', 'keys', 60, 1790000000000001, NULL, NULL, NULL, NULL);
INSERT INTO public.officer_keys VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '\x7365616c6564', '\x7365616c6564', 1, 1);
INSERT INTO public.officers VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '0000000000000000', 1, 1, '00000000000000000000000000000000', '00000000000000000000000000000000');
INSERT INTO public.outbox VALUES (1, 'receipt', '1efdd842d688388466bf17bb5fd31ffb', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2239666234303637356164656531333631316332616637376233366534396334373430343731656463643538323837663065333837656536346330343761653936222c2276657273696f6e223a317d', 1790000000000004, 0, 0, NULL);
INSERT INTO public.outbox VALUES (2, 'receipt', '5834401e0086e5636e3b95e04bb0d34f', '', '\x7b22666f726d6174223a226571756970726f6f662d656e747279222c226b696e64223a226465636973696f6e222c2272656365697074223a2236613038333331336535656232646432633838636561383162336238623861643665656530303737653866626132316564373930626133653630646664393831222c2276657273696f6e223a317d', 1790000000000006, 0, 0, NULL);
INSERT INTO public.overrides VALUES (1, '1efdd842d688388466bf17bb5fd31ffb', 1, '00000000000000000000000000000000', '00000000000000000000000000000000', 1, '0000000000000000', '00000000000000000000000000000000');
INSERT INTO public.persons VALUES ('1efdd842d688388466bf17bb5fd31ffb', '00000000000000000000000000000000', '\x7365616c6564', 1, 1, 1);
INSERT INTO public.process_numbers VALUES ('00000000000000000000000000000000', 1, '00000000000000000000000000000000');
INSERT INTO public.requests VALUES ('bank', 'request-of-the-release', '1fa603aafee218ae63dade22538b8b7bb7b3b8d8812499122e433e9215f672d8', 1790000000000004, 201, '\x7b226964223a223165666464383432643638383338383436366266313762623566643331666662222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a226669727374222c227374617465223a2264656369646564222c226c6162656c223a226772616e746564222c226f76657272696465223a6e756c6c2c226f7574636f6d65223a226772616e746564222c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030345a222c2272656365697074223a2239666234303637356164656531333631316332616637376233366534396334373430343731656463643538323837663065333837656536346330343761653936222c22686973746f7279223a5b7b227374617465223a2264656369646564222c226174223a22323032362d30392d32315431343a31333a32302e3030303030345a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.requests VALUES ('bank', 'request-00000002', 'e150ced8fc3c668759d08dcda82d56e872611d1723548f44662f3ffe9593b08b', 1790000000000006, 201, '\x7b226964223a223538333434303165303038366535363336653362393565303462623064333466222c226d6f64656c223a226c6f616e73222c227265666572656e6365223a227365636f6e64222c227374617465223a22726576696577222c226c6162656c223a6e756c6c2c226f76657272696465223a6e756c6c2c226f7574636f6d65223a6e756c6c2c227265636569766564223a22323032362d30392d32315431343a31333a32302e3030303030365a222c2272656365697074223a2236613038333331336535656232646432633838636561383162336238623861643665656530303737653866626132316564373930626133653630646664393831222c22686973746f7279223a5b7b227374617465223a22726576696577222c226174223a22323032362d30392d32315431343a31333a32302e3030303030365a222c22726561736f6e223a22227d5d7d');
INSERT INTO public.schema_version VALUES ('0001');
INSERT INTO public.sign_ons VALUES ('00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00000000000000000000000000000000', '00', '00000000000000000000000000000000', 1);
INSERT INTO public.trail VALUES (1, 1790000000000021, 'receipt', 'key', 'cef92e5e02db71df', '1efdd842d688388466bf17bb5fd31ffb', '', '02a538c9ef3fcb5c41f6f0a7b84f54cb', '0000000000000000000000000000000000000000000000000000000000000000', '3876d27e5b59d473d8b779b7118cb44ac8f1e683d8d1e6ff9a2fa737badc012c');
INSERT INTO public.trail VALUES (2, 1790000000000034, 'receipt', 'key', 'cef92e5e02db71df', '1efdd842d688388466bf17bb5fd31ffb', '', '02a538c9ef3fcb5c41f6f0a7b84f54cb', '3876d27e5b59d473d8b779b7118cb44ac8f1e683d8d1e6ff9a2fa737badc012c', 'e1446bf79c9ce9f9d1d02b53f7880963404091145508f33f901964be24e4da35');
INSERT INTO public.transitions VALUES (1, '1efdd842d688388466bf17bb5fd31ffb', 0, 'decided', 1790000000000004, '');
INSERT INTO public.transitions VALUES (2, '5834401e0086e5636e3b95e04bb0d34f', 0, 'review', 1790000000000006, '');
INSERT INTO public.transitions VALUES (3, '1efdd842d688388466bf17bb5fd31ffb', 1, 'certifying', 1790000000000007, '');
INSERT INTO public.transitions VALUES (4, '1efdd842d688388466bf17bb5fd31ffb', 2, 'certified', 1790000000000008, '');
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
ALTER TABLE ONLY public.transitions
    ADD CONSTRAINT fk_transitions_decision_id FOREIGN KEY (decision_id) REFERENCES public.decisions(id);
