CREATE TABLE "a2a_tasks" (
	"id" text PRIMARY KEY NOT NULL,
	"first_message" text NOT NULL,
	"last_message" text NOT NULL,
	"state" text NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "a2a_tasks_first_message_unique" UNIQUE("first_message")
);
--> statement-breakpoint
CREATE TABLE "webhook_jobs" (
	"key" text PRIMARY KEY NOT NULL,
	"job_id" text NOT NULL,
	"callback_url" text,
	"answer" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_days" (
	"day" date NOT NULL,
	"tier" text NOT NULL,
	"audits" integer NOT NULL,
	"geo_points" bigint NOT NULL,
	"new_domains" integer NOT NULL,
	CONSTRAINT "audit_days_day_tier_pk" PRIMARY KEY("day","tier")
);
--> statement-breakpoint
CREATE TABLE "audited_domains" (
	"domain" text PRIMARY KEY NOT NULL,
	"geo_score" smallint NOT NULL,
	"audited_at" timestamp (3) with time zone NOT NULL,
	"listed" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audits" (
	"id" text PRIMARY KEY NOT NULL,
	"domain" text NOT NULL,
	"target_url" text NOT NULL,
	"geo_score" smallint NOT NULL,
	"schema_score" smallint NOT NULL,
	"llms_txt_score" smallint NOT NULL,
	"has_jsonld" boolean NOT NULL,
	"has_llms_txt" boolean NOT NULL,
	"allows_ai_bots" boolean NOT NULL,
	"tier" text NOT NULL,
	"rubric" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_hosts" (
	"host" text PRIMARY KEY NOT NULL,
	"full_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_payments" (
	"network" text NOT NULL,
	"tx_hash" text NOT NULL,
	"named_as" text NOT NULL,
	"log_key" text NOT NULL,
	"purpose" text NOT NULL,
	"asset" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"decimals" integer NOT NULL,
	"payer" text NOT NULL,
	"block" bigint NOT NULL,
	"confirmations" integer NOT NULL,
	"paid_at" timestamp (3) with time zone NOT NULL,
	"report" jsonb,
	"report_error" text,
	"reported_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chain_payments_network_tx_hash_pk" PRIMARY KEY("network","tx_hash")
);
--> statement-breakpoint
CREATE TABLE "inquiries" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"company" text,
	"buyer_domain" text,
	"offer_usd" numeric(10, 2),
	"message" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_senders" (
	"chain_id" bigint NOT NULL,
	"sender" text NOT NULL,
	"next_nonce" bigint,
	CONSTRAINT "chain_senders_chain_id_sender_pk" PRIMARY KEY("chain_id","sender")
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"sku" text NOT NULL,
	"operation" text NOT NULL,
	"request_digest" text NOT NULL,
	"network" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"asset" text NOT NULL,
	"payer" text NOT NULL,
	"pay_to" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"version" integer NOT NULL,
	"nonce" text,
	"digest" text,
	"presented" "bytea",
	"valid_before" timestamp (3) with time zone,
	"identifier" text,
	"lease_token" text,
	"lease_until" timestamp (3) with time zone,
	"tx_hash" text,
	"log_index" integer,
	"principal_id" text,
	"org_id" uuid,
	"outcome" "bytea",
	"last_error" text,
	"part_of" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"reconciled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "bundles" (
	"sha256" text PRIMARY KEY NOT NULL,
	"bytes" "bytea" NOT NULL,
	"sold_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "downloads" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"sha256" text NOT NULL,
	"filename" text NOT NULL,
	"bytes" bigint NOT NULL,
	"bytes_left" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "licences" (
	"network" text NOT NULL,
	"tx_hash" text NOT NULL,
	"jti" text NOT NULL,
	"plan" text NOT NULL,
	"price_usd" numeric(12, 2) NOT NULL,
	"payer" text NOT NULL,
	"domain" text,
	"jws" text NOT NULL,
	"kid" text NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "licences_network_tx_hash_pk" PRIMARY KEY("network","tx_hash"),
	CONSTRAINT "licences_jti_uq" UNIQUE("jti")
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"tier" text NOT NULL,
	"domain" text NOT NULL,
	"price_usd" numeric(12, 2) NOT NULL,
	"payment_id" text NOT NULL,
	"network" text NOT NULL,
	"tx_hash" text NOT NULL,
	"payer" text NOT NULL,
	"bundle_sha256" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "orders_payment_uq" UNIQUE("payment_id")
);
--> statement-breakpoint
DROP INDEX "function_invocations_starts_idx";--> statement-breakpoint
DROP INDEX "room_invites_open_idx";--> statement-breakpoint
ALTER TABLE "error_releases" ADD COLUMN "noted_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "room_invites" ADD COLUMN "claimed_by" text;--> statement-breakpoint
ALTER TABLE "room_invites" ADD COLUMN "claimed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "room_invites" ADD COLUMN "payment_id" text;--> statement-breakpoint
ALTER TABLE "downloads" ADD CONSTRAINT "downloads_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "downloads" ADD CONSTRAINT "downloads_sha256_bundles_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."bundles"("sha256") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "a2a_tasks_expiry_idx" ON "a2a_tasks" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "webhook_jobs_expiry_idx" ON "webhook_jobs" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "audited_domains_listed_idx" ON "audited_domains" USING btree ("audited_at") WHERE listed;--> statement-breakpoint
CREATE INDEX "audited_domains_audited_at_idx" ON "audited_domains" USING btree ("audited_at");--> statement-breakpoint
CREATE INDEX "audits_created_at_idx" ON "audits" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "audit_hosts_full_idx" ON "audit_hosts" USING btree ("full_at");--> statement-breakpoint
CREATE INDEX "chain_payments_named_idx" ON "chain_payments" USING btree ("network","named_as");--> statement-breakpoint
CREATE INDEX "chain_payments_created_idx" ON "chain_payments" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "chain_payments_reported_idx" ON "chain_payments" USING btree ("reported_at");--> statement-breakpoint
CREATE INDEX "inquiries_created_at_idx" ON "inquiries" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_nonce_uq" ON "payments" USING btree ("chain_id","asset","payer","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_transfer_uq" ON "payments" USING btree ("chain_id","tx_hash","log_index");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_identifier_uq" ON "payments" USING btree ("identifier") WHERE identifier is not null;--> statement-breakpoint
CREATE INDEX "payments_open_idx" ON "payments" USING btree ("created_at") WHERE state <> 'delivered';--> statement-breakpoint
CREATE INDEX "payments_outcome_idx" ON "payments" USING btree ("created_at") WHERE outcome is not null or identifier is not null;--> statement-breakpoint
CREATE INDEX "payments_org_idx" ON "payments" USING btree ("org_id","created_at") WHERE org_id is not null;--> statement-breakpoint
CREATE INDEX "bundles_sold_idx" ON "bundles" USING btree ("sold_at");--> statement-breakpoint
CREATE INDEX "downloads_expires_idx" ON "downloads" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "downloads_sha256_idx" ON "downloads" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "downloads_order_idx" ON "downloads" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "orders_tier_idx" ON "orders" USING btree ("tier","created_at");--> statement-breakpoint
CREATE INDEX "orders_tx_idx" ON "orders" USING btree ("network","tx_hash");--> statement-breakpoint
CREATE INDEX "daily_counts_day_idx" ON "daily_counts" USING btree ("day");--> statement-breakpoint
CREATE INDEX "function_invocations_minutes_idx" ON "function_invocations" USING btree ("starts_at") WHERE "function_invocations"."span" = 'minute';--> statement-breakpoint
CREATE INDEX "function_invocations_hours_idx" ON "function_invocations" USING btree ("starts_at") WHERE "function_invocations"."span" = 'hour';--> statement-breakpoint
CREATE INDEX "event_keys_messages_idx" ON "event_keys" USING btree ("created_at") WHERE "event_keys"."key" like 'message:%';--> statement-breakpoint
CREATE INDEX "operator_contact_challenges_expires_idx" ON "operator_contact_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "orgs_purged_idx" ON "orgs" USING btree ("id") WHERE "orgs"."lifecycle_state" = 'purged';--> statement-breakpoint
CREATE INDEX "room_invites_open_idx" ON "room_invites" USING btree ("org_id","room_key","expires_at") WHERE revoked_at is null and claimed_at is null;