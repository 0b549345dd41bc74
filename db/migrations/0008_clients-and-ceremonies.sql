CREATE TABLE "approval_challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"action" text NOT NULL,
	"target_id" text NOT NULL,
	"redirect_uri" text,
	"code_challenge" text NOT NULL,
	"state" text NOT NULL,
	"code_hash" text,
	"code_expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"redeemed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "ceremony_challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"challenge" text NOT NULL,
	"purpose" text NOT NULL,
	"rp_id" text NOT NULL,
	"origin" text NOT NULL,
	"session_id" text,
	"principal_id" text,
	"subject" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "device_flows" (
	"device_hash" text PRIMARY KEY NOT NULL,
	"user_code" text NOT NULL,
	"client_name" text,
	"interval_seconds" integer NOT NULL,
	"polled_at" timestamp (3) with time zone,
	"decision" text,
	"principal_id" text,
	"email" text,
	"amr_times" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"redeemed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "loopback_flows" (
	"id" uuid PRIMARY KEY NOT NULL,
	"redirect_uri" text NOT NULL,
	"code_challenge" text NOT NULL,
	"state" text NOT NULL,
	"nonce" text,
	"principal_id" text,
	"email" text,
	"amr_times" jsonb,
	"code_hash" text,
	"code_expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"redeemed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "mailed_links" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"email" text NOT NULL,
	"principal_id" text,
	"return_to" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "oauth_flows" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"return_to" text,
	"browser_hash" text NOT NULL,
	"session_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "org_recovery_postures" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"control_plane_configured" boolean NOT NULL,
	"source_backup_configured" boolean NOT NULL,
	"custody_legacy_present" boolean NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"use" text NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" text NOT NULL,
	"sign_count" bigint NOT NULL,
	"rp_id" text NOT NULL,
	"transports" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"device_type" text NOT NULL,
	"backed_up" boolean NOT NULL,
	"label" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sign_in_tries" (
	"key" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"window_ends" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wallet_claims" (
	"id" uuid PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"wallet" text NOT NULL,
	"nonce" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "secret_hash" text;--> statement-breakpoint
ALTER TABLE "approval_challenges" ADD CONSTRAINT "approval_challenges_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ceremony_challenges" ADD CONSTRAINT "ceremony_challenges_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ceremony_challenges" ADD CONSTRAINT "ceremony_challenges_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_flows" ADD CONSTRAINT "device_flows_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "loopback_flows" ADD CONSTRAINT "loopback_flows_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailed_links" ADD CONSTRAINT "mailed_links_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_flows" ADD CONSTRAINT "oauth_flows_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "org_recovery_postures" ADD CONSTRAINT "org_recovery_postures_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallet_claims" ADD CONSTRAINT "wallet_claims_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "approval_challenges_code_uq" ON "approval_challenges" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "approval_challenges_session_idx" ON "approval_challenges" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "approval_challenges_expires_idx" ON "approval_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "ceremony_challenges_challenge_uq" ON "ceremony_challenges" USING btree ("challenge");--> statement-breakpoint
CREATE INDEX "ceremony_challenges_expires_idx" ON "ceremony_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "device_flows_user_code_uq" ON "device_flows" USING btree ("user_code");--> statement-breakpoint
CREATE INDEX "device_flows_expires_idx" ON "device_flows" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "loopback_flows_code_uq" ON "loopback_flows" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "loopback_flows_expires_idx" ON "loopback_flows" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mailed_links_expires_idx" ON "mailed_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oauth_flows_expires_idx" ON "oauth_flows" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential_uq" ON "passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkeys_principal_idx" ON "passkeys" USING btree ("principal_id");--> statement-breakpoint
CREATE INDEX "recovery_codes_principal_idx" ON "recovery_codes" USING btree ("principal_id");--> statement-breakpoint
CREATE INDEX "sign_in_tries_ends_idx" ON "sign_in_tries" USING btree ("window_ends");--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_claims_nonce_uq" ON "wallet_claims" USING btree ("nonce");--> statement-breakpoint
CREATE INDEX "wallet_claims_expires_idx" ON "wallet_claims" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_ends_idx" ON "sessions" USING btree ("absolute_expires_at");--> statement-breakpoint
CREATE INDEX "write_approvals_session_idx" ON "write_approvals" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "write_approvals_ends_idx" ON "write_approvals" USING btree ("absolute_expires_at");