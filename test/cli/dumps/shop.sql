--
-- PostgreSQL database dump
--

\restrict Kxi0mezc1pPyLRm7UOa634HGBM6bhLjuoWgee2MiXdEsAi74CiurHn2vIbC9WgM

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

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

--
-- Name: mood; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.mood AS ENUM (
    'calm',
    'it''s loud',
    'a,b'
);


ALTER TYPE public.mood OWNER TO postgres;

--
-- Name: positive; Type: DOMAIN; Schema: public; Owner: postgres
--

CREATE DOMAIN public.positive AS integer
	CONSTRAINT positive_check CHECK ((VALUE > 0));


ALTER DOMAIN public.positive OWNER TO postgres;

--
-- Name: atomic(integer); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.atomic(c integer) RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (c > 0) THEN c
             ELSE 0
         END AS "case";
 SELECT (c + 1);
END;


ALTER FUNCTION public.atomic(c integer) OWNER TO postgres;

--
-- Name: note_order(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.note_order() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into public.log values ('order; ''' || new.id || '''');
  return new;
end $$;


ALTER FUNCTION public.note_order() OWNER TO postgres;

--
-- Name: total(bigint); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.total(c bigint) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$select coalesce(sum("Qty;"), 0) from public."Order Lines" where customer = c$$;


ALTER FUNCTION public.total(c bigint) OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: Order Lines; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public."Order Lines" (
    id integer NOT NULL,
    customer bigint NOT NULL,
    "Qty;" integer NOT NULL,
    note text,
    CONSTRAINT "Order Lines_Qty;_check" CHECK (("Qty;" > 0))
);


ALTER TABLE public."Order Lines" OWNER TO postgres;

--
-- Name: Order Lines_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public."Order Lines_id_seq"
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public."Order Lines_id_seq" OWNER TO postgres;

--
-- Name: Order Lines_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public."Order Lines_id_seq" OWNED BY public."Order Lines".id;


--
-- Name: customers; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.customers (
    id bigint NOT NULL,
    name text NOT NULL,
    nick character varying(12),
    code character(4),
    mood public.mood DEFAULT 'calm'::public.mood,
    size public.positive,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    grid integer[],
    data jsonb,
    raw json,
    photo bytea,
    price numeric(20,6),
    ratio double precision,
    born date,
    seen timestamp with time zone,
    local timestamp without time zone,
    span interval,
    flags bit(3),
    net inet,
    ok boolean,
    token uuid DEFAULT '00000000-0000-4000-8000-00000000000a'::uuid,
    label text GENERATED ALWAYS AS ((name || '!'::text)) STORED
);


ALTER TABLE public.customers OWNER TO postgres;

--
-- Name: TABLE customers; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON TABLE public.customers IS 'Who buys; it''s $$ theirs';


--
-- Name: customers_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.customers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.customers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: log; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.log (
    what text
);


ALTER TABLE public.log OWNER TO postgres;

--
-- Name: loud; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.loud AS
 SELECT customers.id,
    customers.name
   FROM public.customers
  WHERE (customers.mood = 'it''s loud'::public.mood);


ALTER TABLE public.loud OWNER TO postgres;

--
-- Name: parts; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.parts (
    id integer NOT NULL,
    day date NOT NULL
)
PARTITION BY RANGE (day);


ALTER TABLE public.parts OWNER TO postgres;

--
-- Name: parts_2023; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.parts_2023 (
    id integer NOT NULL,
    day date NOT NULL
);


ALTER TABLE public.parts_2023 OWNER TO postgres;

--
-- Name: totals; Type: MATERIALIZED VIEW; Schema: public; Owner: postgres
--

CREATE MATERIALIZED VIEW public.totals AS
 SELECT customers.id,
    public.total(customers.id) AS total
   FROM public.customers
  WITH NO DATA;


ALTER TABLE public.totals OWNER TO postgres;

--
-- Name: parts_2023; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parts ATTACH PARTITION public.parts_2023 FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');


--
-- Name: Order Lines id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."Order Lines" ALTER COLUMN id SET DEFAULT nextval('public."Order Lines_id_seq"'::regclass);


--
-- Data for Name: Order Lines; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public."Order Lines" (id, customer, "Qty;", note) FROM stdin;
1	2	1	
2	3	2	note 2
3	4	3	\N
4	1	4	
5	2	5	note 5
6	3	6	\N
7	4	7	
8	1	8	note 8
9	2	9	\N
10	3	10	
11	4	11	note 11
12	1	12	\N
13	2	13	
14	3	14	note 14
15	4	15	\N
16	1	16	
17	2	17	note 17
18	3	18	\N
19	4	19	
20	1	20	note 20
21	2	21	\N
22	3	22	
23	4	23	note 23
24	1	24	\N
25	2	25	
26	3	26	note 26
27	4	27	\N
28	1	28	
29	2	29	note 29
30	3	30	\N
31	4	31	
32	1	32	note 32
33	2	33	\N
34	3	34	
35	4	35	note 35
36	1	36	\N
37	2	37	
38	3	38	note 38
39	4	39	\N
40	1	40	
41	2	41	note 41
42	3	42	\N
43	4	43	
44	1	44	note 44
45	2	45	\N
46	3	46	
47	4	47	note 47
48	1	48	\N
49	2	49	
50	3	50	note 50
51	4	51	\N
52	1	52	
53	2	53	note 53
54	3	54	\N
55	4	55	
56	1	56	note 56
57	2	57	\N
58	3	58	
59	4	59	note 59
60	1	60	\N
61	2	61	
62	3	62	note 62
63	4	63	\N
64	1	64	
65	2	65	note 65
66	3	66	\N
67	4	67	
68	1	68	note 68
69	2	69	\N
70	3	70	
71	4	71	note 71
72	1	72	\N
73	2	73	
74	3	74	note 74
75	4	75	\N
76	1	76	
77	2	77	note 77
78	3	78	\N
79	4	79	
80	1	80	note 80
81	2	81	\N
82	3	82	
83	4	83	note 83
84	1	84	\N
85	2	85	
86	3	86	note 86
87	4	87	\N
88	1	88	
89	2	89	note 89
90	3	90	\N
91	4	91	
92	1	92	note 92
93	2	93	\N
94	3	94	
95	4	95	note 95
96	1	96	\N
97	2	97	
98	3	98	note 98
99	4	99	\N
100	1	100	
101	2	101	note 101
102	3	102	\N
103	4	103	
104	1	104	note 104
105	2	105	\N
106	3	106	
107	4	107	note 107
108	1	108	\N
109	2	109	
110	3	110	note 110
111	4	111	\N
112	1	112	
113	2	113	note 113
114	3	114	\N
115	4	115	
116	1	116	note 116
117	2	117	\N
118	3	118	
119	4	119	note 119
120	1	120	\N
121	2	121	
122	3	122	note 122
123	4	123	\N
124	1	124	
125	2	125	note 125
126	3	126	\N
127	4	127	
128	1	128	note 128
129	2	129	\N
130	3	130	
131	4	131	note 131
132	1	132	\N
133	2	133	
134	3	134	note 134
135	4	135	\N
136	1	136	
137	2	137	note 137
138	3	138	\N
139	4	139	
140	1	140	note 140
141	2	141	\N
142	3	142	
143	4	143	note 143
144	1	144	\N
145	2	145	
146	3	146	note 146
147	4	147	\N
148	1	148	
149	2	149	note 149
150	3	150	\N
151	4	151	
152	1	152	note 152
153	2	153	\N
154	3	154	
155	4	155	note 155
156	1	156	\N
157	2	157	
158	3	158	note 158
159	4	159	\N
160	1	160	
161	2	161	note 161
162	3	162	\N
163	4	163	
164	1	164	note 164
165	2	165	\N
166	3	166	
167	4	167	note 167
168	1	168	\N
169	2	169	
170	3	170	note 170
171	4	171	\N
172	1	172	
173	2	173	note 173
174	3	174	\N
175	4	175	
176	1	176	note 176
177	2	177	\N
178	3	178	
179	4	179	note 179
180	1	180	\N
181	2	181	
182	3	182	note 182
183	4	183	\N
184	1	184	
185	2	185	note 185
186	3	186	\N
187	4	187	
188	1	188	note 188
189	2	189	\N
190	3	190	
191	4	191	note 191
192	1	192	\N
193	2	193	
194	3	194	note 194
195	4	195	\N
196	1	196	
197	2	197	note 197
198	3	198	\N
199	4	199	
200	1	200	note 200
201	2	201	\N
202	3	202	
203	4	203	note 203
204	1	204	\N
205	2	205	
206	3	206	note 206
207	4	207	\N
208	1	208	
209	2	209	note 209
210	3	210	\N
211	4	211	
212	1	212	note 212
213	2	213	\N
214	3	214	
215	4	215	note 215
216	1	216	\N
217	2	217	
218	3	218	note 218
219	4	219	\N
220	1	220	
221	2	221	note 221
222	3	222	\N
223	4	223	
224	1	224	note 224
225	2	225	\N
226	3	226	
227	4	227	note 227
228	1	228	\N
229	2	229	
230	3	230	note 230
231	4	231	\N
232	1	232	
233	2	233	note 233
234	3	234	\N
235	4	235	
236	1	236	note 236
237	2	237	\N
238	3	238	
239	4	239	note 239
240	1	240	\N
241	2	241	
242	3	242	note 242
243	4	243	\N
244	1	244	
245	2	245	note 245
246	3	246	\N
247	4	247	
248	1	248	note 248
249	2	249	\N
250	3	250	
251	4	251	note 251
252	1	252	\N
253	2	253	
254	3	254	note 254
255	4	255	\N
256	1	256	
257	2	257	note 257
258	3	258	\N
259	4	259	
260	1	260	note 260
261	2	261	\N
262	3	262	
263	4	263	note 263
264	1	264	\N
265	2	265	
266	3	266	note 266
267	4	267	\N
268	1	268	
269	2	269	note 269
270	3	270	\N
271	4	271	
272	1	272	note 272
273	2	273	\N
274	3	274	
275	4	275	note 275
276	1	276	\N
277	2	277	
278	3	278	note 278
279	4	279	\N
280	1	280	
281	2	281	note 281
282	3	282	\N
283	4	283	
284	1	284	note 284
285	2	285	\N
286	3	286	
287	4	287	note 287
288	1	288	\N
289	2	289	
290	3	290	note 290
291	4	291	\N
292	1	292	
293	2	293	note 293
294	3	294	\N
295	4	295	
296	1	296	note 296
297	2	297	\N
298	3	298	
299	4	299	note 299
300	1	300	\N
\.


--
-- Data for Name: customers; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.customers (id, name, nick, code, mood, size, tags, grid, data, raw, photo, price, ratio, born, seen, local, span, flags, net, ok, token) FROM stdin;
1	Ada		a   	it's loud	7	{"",NULL,"a b","c\\"d","\\\\N","{x}"}	{{1,2},{3,NULL}}	{"e": "", "k": [1, 1.50, "ö\\\\n"]}	{ "b" :1,  "a":2 }	\\x00ff5c0a0d09	12345678901234.123456	0.1	0044-03-15 BC	2023-02-02 22:35:06.789012+00	2023-02-03 04:05:06.789012	1 year 2 mons -3 days +04:05:06.7	101	10.0.0.0/8	t	00000000-0000-4000-8000-00000000000a
2	tab\there\nline\\N \\. back\\slash\r\b\v\f end	\N	\N	a,b	\N	{}	\N	null	\N	\\x	NaN	Infinity	infinity	-infinity	\N	\N	\N	::1	\N	00000000-0000-4000-8000-00000000000a
3		\\N	four	calm	1	{multinline}	[2:3]={5,6}	"text"	"x"	\N	-0.000001	-1.7976931348623157e+308	2023-12-31	1900-01-01 00:00:00+00	\N	-00:00:01	000	\N	f	00000000-0000-4000-8000-00000000000a
4	Grüße 👋 $$ ; -- /* '	\N	\N	\N	\N	{}	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	00000000-0000-4000-8000-00000000000a
\.


--
-- Data for Name: log; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.log (what) FROM stdin;
\.


--
-- Data for Name: parts_2023; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.parts_2023 (id, day) FROM stdin;
1	2023-01-02
2	2023-01-03
3	2023-01-04
4	2023-01-05
5	2023-01-06
\.


--
-- Name: Order Lines_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public."Order Lines_id_seq"', 4711, true);


--
-- Name: customers_id_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.customers_id_seq', 4, true);


--
-- Name: Order Lines Order Lines_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."Order Lines"
    ADD CONSTRAINT "Order Lines_pkey" PRIMARY KEY (id);


--
-- Name: customers customers_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);


--
-- Name: parts parts_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parts
    ADD CONSTRAINT parts_pkey PRIMARY KEY (id, day);


--
-- Name: parts_2023 parts_2023_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.parts_2023
    ADD CONSTRAINT parts_2023_pkey PRIMARY KEY (id, day);


--
-- Name: by note; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX "by note" ON public."Order Lines" USING btree (note);


--
-- Name: parts_2023_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.parts_pkey ATTACH PARTITION public.parts_2023_pkey;


--
-- Name: Order Lines note_order; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER note_order AFTER INSERT ON public."Order Lines" FOR EACH ROW EXECUTE FUNCTION public.note_order();


--
-- Name: Order Lines Order Lines_customer_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public."Order Lines"
    ADD CONSTRAINT "Order Lines_customer_fkey" FOREIGN KEY (customer) REFERENCES public.customers(id) ON DELETE CASCADE;


--
-- Name: customers; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.customers ENABLE ROW LEVEL SECURITY;

--
-- Name: customers own; rows; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY "own; rows" ON public.customers FOR SELECT USING ((token = '00000000-0000-0000-0000-000000000000'::uuid));


--
-- Name: p; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION p WITH (publish = 'insert, update, delete, truncate');


ALTER PUBLICATION p OWNER TO postgres;

--
-- Name: p customers; Type: PUBLICATION TABLE; Schema: public; Owner: postgres
--

ALTER PUBLICATION p ADD TABLE ONLY public.customers;


--
-- Name: TABLE customers; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.customers TO shop_reader;


--
-- Name: totals; Type: MATERIALIZED VIEW DATA; Schema: public; Owner: postgres
--

REFRESH MATERIALIZED VIEW public.totals;


--
-- PostgreSQL database dump complete
--

\unrestrict Kxi0mezc1pPyLRm7UOa634HGBM6bhLjuoWgee2MiXdEsAi74CiurHn2vIbC9WgM

