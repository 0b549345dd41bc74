--
-- A project as `supabase db dump` and `pg_dump` write it: schema and rows, auth included.
--

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;

CREATE SCHEMA IF NOT EXISTS "auth";
ALTER SCHEMA "auth" OWNER TO "supabase_admin";
CREATE SCHEMA IF NOT EXISTS "storage";
CREATE SCHEMA IF NOT EXISTS "app";
CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "pg_graphql" WITH SCHEMA "graphql";
COMMENT ON EXTENSION "uuid-ossp" IS 'generate universally unique identifiers (UUIDs)';
CREATE TYPE "auth"."aal_level" AS ENUM ('aal1', 'aal2');

CREATE OR REPLACE FUNCTION "auth"."uid"() RETURNS "uuid"
    LANGUAGE "sql" STABLE
    AS $$
  select coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''), (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'))::uuid
$$;
ALTER FUNCTION "auth"."uid"() OWNER TO "supabase_auth_admin";

CREATE OR REPLACE FUNCTION "public"."handle_new_user"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    AS $$
begin
  insert into public.profiles (id) values (new.id);
  return new;
end;
$$;

CREATE TABLE IF NOT EXISTS "auth"."users" (
    "id" "uuid" NOT NULL,
    "email" character varying(255)
);
CREATE TABLE IF NOT EXISTS "public"."profiles" (
    "id" "uuid" NOT NULL,
    "key" "uuid" DEFAULT "extensions"."uuid_generate_v4"() NOT NULL,
    "bio" "text"
);
ALTER TABLE "public"."profiles" OWNER TO "postgres";
CREATE TABLE IF NOT EXISTS "storage"."objects" (
    "id" "uuid" NOT NULL
);
CREATE TABLE "app"."things" (
    "id" integer
);

COPY "app"."things" ("id") FROM stdin;
1
2
\.

COPY "auth"."identities" ("provider_id", "user_id", "identity_data", "provider", "last_sign_in_at", "created_at", "updated_at", "id") FROM stdin;
11111111-1111-4111-8111-111111111111	11111111-1111-4111-8111-111111111111	{"sub": "11111111-1111-4111-8111-111111111111", "email": "ada@example.com"}	email	\N	2023-01-01 00:00:00+00	\N	21111111-1111-4111-8111-111111111111
g-17	22222222-2222-4222-8222-222222222222	{"sub": "g-17", "email": "bob@example.com"}	google	\N	2023-01-02 00:00:00+00	\N	31111111-1111-4111-8111-111111111111
gh-4	22222222-2222-4222-8222-222222222222	{"sub": "gh-4"}	github	\N	2023-01-02 00:00:00+00	\N	41111111-1111-4111-8111-111111111111
\.

COPY "auth"."users" ("instance_id", "id", "aud", "role", "email", "encrypted_password", "email_confirmed_at", "last_sign_in_at", "raw_app_meta_data", "raw_user_meta_data", "created_at", "phone", "banned_until", "is_sso_user", "deleted_at", "is_anonymous") FROM stdin;
00000000-0000-0000-0000-000000000000	11111111-1111-4111-8111-111111111111	authenticated	authenticated	ada@example.com	@BCRYPT@	2023-01-01 00:00:01.123456+00	2024-01-01 00:00:00+00	{"provider": "email", "providers": ["email"], "plan": "pro"}	{"name": "Ada \\"the\\" first"}	2023-01-01 00:00:00.5+00	\N	\N	f	\N	f
00000000-0000-0000-0000-000000000000	22222222-2222-4222-8222-222222222222	authenticated	authenticated	bob@example.com		2023-01-02 00:00:00+00	\N	{"provider": "google", "providers": ["google"]}	{}	2023-01-02 00:00:00+00	491234	\N	f	\N	f
00000000-0000-0000-0000-000000000000	33333333-3333-4333-8333-333333333333	authenticated	authenticated	\N	\N	\N	\N	{}	{}	2023-01-03 00:00:00+00	\N	\N	f	\N	t
00000000-0000-0000-0000-000000000000	44444444-4444-4444-8444-444444444444	authenticated	authenticated	eve@example.com	@BCRYPT31@	\N	\N	{}	{}	2023-01-04 00:00:00+00	\N	\N	f	\N	f
\.

COPY "public"."profiles" ("id", "key", "bio") FROM stdin;
11111111-1111-4111-8111-111111111111	99999999-9999-4999-8999-999999999999	\N
22222222-2222-4222-8222-222222222222	88888888-8888-4888-8888-888888888888	likes\ttabs
\.

SELECT pg_catalog.setval('"auth"."refresh_tokens_id_seq"', 17, true);

ALTER TABLE ONLY "public"."profiles"
    ADD CONSTRAINT "profiles_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "public"."profiles"
    ADD CONSTRAINT "profiles_id_fkey" FOREIGN KEY ("id") REFERENCES "auth"."users"("id") ON DELETE CASCADE;
CREATE OR REPLACE TRIGGER "on_auth_user_created" AFTER INSERT ON "auth"."users" FOR EACH ROW EXECUTE FUNCTION "public"."handle_new_user"();
ALTER TABLE "public"."profiles" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "Own profile" ON "public"."profiles" FOR SELECT TO "authenticated" USING ((( SELECT "auth"."uid"() AS "uid") = "id"));
CREATE POLICY "By mail" ON "public"."profiles" FOR UPDATE USING ((("auth"."jwt"() ->> 'email'::"text") = 'ada@example.com'::"text"));
CREATE POLICY "Avatars" ON "storage"."objects" FOR SELECT USING (true);
CREATE PUBLICATION "supabase_realtime" WITH (publish = 'insert, update, delete, truncate');
GRANT USAGE ON SCHEMA "public" TO "anon";
GRANT ALL ON TABLE "public"."profiles" TO "authenticated";
ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT ALL ON TABLES TO "anon";
CREATE EVENT TRIGGER "pgrst_ddl_watch" ON ddl_command_end EXECUTE FUNCTION "extensions"."pgrst_ddl_watch"();
RESET ALL;
