CREATE TABLE "ledger_entries" (
	"org_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"id" text NOT NULL,
	"direction" text NOT NULL,
	"kind" text NOT NULL,
	"amount_usd_micros" bigint NOT NULL,
	"balance_after_available" bigint NOT NULL,
	"balance_after_held" bigint NOT NULL,
	"reference_type" text,
	"reference_id" text,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_entries_org_id_seq_pk" PRIMARY KEY("org_id","seq"),
	CONSTRAINT "ledger_entries_positive" CHECK ("ledger_entries"."amount_usd_micros" > 0)
);
--> statement-breakpoint
CREATE TABLE "org_balances" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"available_usd_micros" bigint DEFAULT 0 NOT NULL,
	"held_usd_micros" bigint DEFAULT 0 NOT NULL,
	"entries" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "org_balances_covered" CHECK ("org_balances"."available_usd_micros" >= 0 and "org_balances"."held_usd_micros" >= 0)
);
--> statement-breakpoint
CREATE TABLE "org_slugs" (
	"slug" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"claimed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"released_at" timestamp (3) with time zone,
	"rests_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "project_usage" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"api_calls" bigint NOT NULL,
	CONSTRAINT "project_usage_org_id_project_id_since_pk" PRIMARY KEY("org_id","project_id","since")
);
--> statement-breakpoint
CREATE TABLE "usage_flushes" (
	"node" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"flushed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "member_encryption_keys" (
	"org_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"principal_id" text NOT NULL,
	"fingerprint" text NOT NULL,
	"custody_scheme" text NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"revoked_reason" text,
	CONSTRAINT "member_encryption_keys_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "vault_writers" (
	"org_id" uuid NOT NULL,
	"vault_id" uuid NOT NULL,
	"encryption_key_id" uuid NOT NULL,
	"principal_id" text NOT NULL,
	"admitted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "vault_writers_org_id_vault_id_encryption_key_id_pk" PRIMARY KEY("org_id","vault_id","encryption_key_id")
);
--> statement-breakpoint
CREATE TABLE "vaults" (
	"org_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"epoch" integer DEFAULT 1 NOT NULL,
	"rotation_required_since" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "vaults_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
DROP INDEX "room_presences_name_uq";--> statement-breakpoint
DROP INDEX "room_presences_session_uq";--> statement-breakpoint
ALTER TABLE "authenticators" ADD COLUMN "verified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "invited_email" text;--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "invited_by" text;--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "invite_expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "invite_mailed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orgs" ADD COLUMN "lifecycle_entered_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "orgs" ADD COLUMN "emptied_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "orgs" ADD COLUMN "usage_since" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "orgs" ADD COLUMN "payout_wallet" text;--> statement-breakpoint
ALTER TABLE "delegates" ADD COLUMN "spend_cap" jsonb;--> statement-breakpoint
ALTER TABLE "delegates" ADD COLUMN "public_subject" text;--> statement-breakpoint
ALTER TABLE "delegates" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "project_grants" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "creator" jsonb;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_balances" ADD CONSTRAINT "org_balances_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_slugs" ADD CONSTRAINT "org_slugs_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_encryption_keys" ADD CONSTRAINT "member_encryption_keys_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vaults" ADD CONSTRAINT "vaults_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_entries_reference_uq" ON "ledger_entries" USING btree ("org_id","reference_type","reference_id","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "org_slugs_current_uq" ON "org_slugs" USING btree ("org_id") WHERE "org_slugs"."released_at" is null;--> statement-breakpoint
CREATE INDEX "org_slugs_org_idx" ON "org_slugs" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "project_usage_since_idx" ON "project_usage" USING btree ("since");--> statement-breakpoint
CREATE UNIQUE INDEX "member_encryption_keys_current_uq" ON "member_encryption_keys" USING btree ("org_id","principal_id") WHERE "member_encryption_keys"."state" <> 'revoked';--> statement-breakpoint
CREATE INDEX "member_encryption_keys_principal_idx" ON "member_encryption_keys" USING btree ("principal_id");--> statement-breakpoint
CREATE INDEX "vault_writers_principal_idx" ON "vault_writers" USING btree ("org_id","principal_id");--> statement-breakpoint
CREATE UNIQUE INDEX "vaults_project_uq" ON "vaults" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "orgs_lease_idx" ON "orgs" USING btree ("lifecycle_state","lease_expires_at") WHERE not "orgs"."lease_perpetual" and "orgs"."lifecycle_state" <> 'purged';--> statement-breakpoint
CREATE INDEX "orgs_left_idx" ON "orgs" USING btree ("id") WHERE "orgs"."lifecycle_state" = 'purged' and "orgs"."emptied_at" is null;--> statement-breakpoint
CREATE INDEX "orgs_pinned_idx" ON "orgs" USING btree ("usage_since") WHERE "orgs"."lease_perpetual";--> statement-breakpoint
CREATE INDEX "delegates_project_idx" ON "delegates" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "project_grants_live_uq" ON "project_grants" USING btree ("org_id","project_id","principal_id","capability") WHERE "project_grants"."revoked_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_name_uq" ON "room_presences" USING btree ("org_id",(lower("name") collate "C"),"room_key");--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_session_uq" ON "room_presences" USING btree ("org_id","principal_id","session_key","room_key");--> statement-breakpoint
UPDATE "authenticators" SET "verified_at" = "created_at" WHERE "kind" = 'wallet';--> statement-breakpoint
CREATE FUNCTION "refuse_ledger_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Ledger entries are only ever added.' USING ERRCODE = 'restrict_violation';
END $$;--> statement-breakpoint
CREATE TRIGGER "ledger_entries_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_entries"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_ledger_change"();
