-- Domain: agent-work (db/schema/agent-work.ts)
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
CREATE INDEX "a2a_tasks_expiry_idx" ON "a2a_tasks" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "webhook_jobs_expiry_idx" ON "webhook_jobs" USING btree ("expires_at");
--> statement-breakpoint
-- Domain: audit-stats (db/schema/audit-stats.ts)
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
CREATE INDEX "audited_domains_listed_idx" ON "audited_domains" USING btree ("audited_at") WHERE listed;
--> statement-breakpoint
CREATE INDEX "audited_domains_audited_at_idx" ON "audited_domains" USING btree ("audited_at");
--> statement-breakpoint
CREATE INDEX "audits_created_at_idx" ON "audits" USING btree ("created_at");
--> statement-breakpoint
-- Domain: audits (db/schema/audits.ts)
CREATE TABLE "audit_hosts" (
	"host" text PRIMARY KEY NOT NULL,
	"full_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_hosts_full_idx" ON "audit_hosts" USING btree ("full_at");
--> statement-breakpoint
-- Domain: ceremonies (db/schema/ceremonies.ts)
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
	"redeemed_at" timestamp (3) with time zone,
	"proven_by" text[]
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
	"redeemed_at" timestamp (3) with time zone,
	"proven_by" text[]
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
CREATE UNIQUE INDEX "approval_challenges_code_uq" ON "approval_challenges" USING btree ("code_hash");
--> statement-breakpoint
CREATE INDEX "approval_challenges_session_idx" ON "approval_challenges" USING btree ("session_id");
--> statement-breakpoint
CREATE INDEX "approval_challenges_expires_idx" ON "approval_challenges" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "ceremony_challenges_challenge_uq" ON "ceremony_challenges" USING btree ("challenge");
--> statement-breakpoint
CREATE INDEX "ceremony_challenges_expires_idx" ON "ceremony_challenges" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "device_flows_user_code_uq" ON "device_flows" USING btree ("user_code");
--> statement-breakpoint
CREATE INDEX "device_flows_expires_idx" ON "device_flows" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "loopback_flows_code_uq" ON "loopback_flows" USING btree ("code_hash");
--> statement-breakpoint
CREATE INDEX "loopback_flows_expires_idx" ON "loopback_flows" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "mailed_links_expires_idx" ON "mailed_links" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "oauth_flows_expires_idx" ON "oauth_flows" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential_uq" ON "passkeys" USING btree ("credential_id");
--> statement-breakpoint
CREATE INDEX "passkeys_principal_idx" ON "passkeys" USING btree ("principal_id");
--> statement-breakpoint
CREATE INDEX "recovery_codes_principal_idx" ON "recovery_codes" USING btree ("principal_id");
--> statement-breakpoint
CREATE INDEX "sign_in_tries_ends_idx" ON "sign_in_tries" USING btree ("window_ends");
--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_claims_nonce_uq" ON "wallet_claims" USING btree ("nonce");
--> statement-breakpoint
CREATE INDEX "wallet_claims_expires_idx" ON "wallet_claims" USING btree ("expires_at");
--> statement-breakpoint
-- Domain: chain-payments (db/schema/chain-payments.ts)
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
CREATE INDEX "chain_payments_named_idx" ON "chain_payments" USING btree ("network","named_as");
--> statement-breakpoint
CREATE INDEX "chain_payments_created_idx" ON "chain_payments" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "chain_payments_reported_idx" ON "chain_payments" USING btree ("reported_at");
--> statement-breakpoint
-- Domain: changes (db/schema/changes.ts)
CREATE TABLE "feed_changes" (
	"org_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"feed_id" text NOT NULL,
	"position" bigint NOT NULL,
	"object_id" text NOT NULL,
	"change" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feed_changes_org_id_kind_feed_id_position_pk" PRIMARY KEY("org_id","kind","feed_id","position")
);
--> statement-breakpoint
CREATE INDEX "feed_changes_created_idx" ON "feed_changes" USING btree ("created_at");
--> statement-breakpoint
-- Domain: claims (db/schema/claims.ts)
CREATE TABLE "room_claims" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"room_key" text NOT NULL,
	"presence_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"holder" text NOT NULL,
	"resource" text NOT NULL,
	"mode" text NOT NULL,
	"note" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"released_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "room_claims_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "room_claims_id_uq" ON "room_claims" USING btree ("id","org_id");
--> statement-breakpoint
CREATE INDEX "room_claims_standing_idx" ON "room_claims" USING btree ("org_id","room_key","expires_at") WHERE released_at is null;
--> statement-breakpoint
CREATE INDEX "room_claims_holder_idx" ON "room_claims" USING btree ("org_id","presence_id","expires_at") WHERE released_at is null;
--> statement-breakpoint
CREATE INDEX "room_claims_expires_idx" ON "room_claims" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "room_claims_history_idx" ON "room_claims" USING btree ("org_id","room_key","created_at");
--> statement-breakpoint
-- Domain: daily-counts (db/schema/daily-counts.ts)
CREATE TABLE "daily_counts" (
	"org_id" uuid NOT NULL,
	"resource" text NOT NULL,
	"day" date NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "daily_counts_org_id_resource_day_pk" PRIMARY KEY("org_id","resource","day")
);
--> statement-breakpoint
CREATE INDEX "daily_counts_day_idx" ON "daily_counts" USING btree ("day");
--> statement-breakpoint
-- Domain: errors (db/schema/errors.ts)
CREATE TABLE "error_counts" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"fingerprint_id" text NOT NULL,
	"function" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "error_counts_org_id_project_id_fingerprint_id_function_starts_at_pk" PRIMARY KEY("org_id","project_id","fingerprint_id","function","starts_at")
);
--> statement-breakpoint
CREATE TABLE "error_fingerprints" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"fingerprint_id" text NOT NULL,
	"function" text NOT NULL,
	"kind" text NOT NULL,
	"quality" text NOT NULL,
	"error_name" text NOT NULL,
	"message_template" text NOT NULL,
	"stable_frames" jsonb NOT NULL,
	"count" bigint NOT NULL,
	"first_seen" timestamp (3) with time zone NOT NULL,
	"last_seen" timestamp (3) with time zone NOT NULL,
	"first_seen_release_id" text,
	"last_seen_release_id" text,
	"first_sample" jsonb NOT NULL,
	"recent_samples" jsonb NOT NULL,
	CONSTRAINT "error_fingerprints_org_id_project_id_fingerprint_id_function_pk" PRIMARY KEY("org_id","project_id","fingerprint_id","function")
);
--> statement-breakpoint
CREATE TABLE "error_projects" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"fingerprints" integer DEFAULT 0 NOT NULL,
	"fidelity" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"gone_at" timestamp (3) with time zone,
	CONSTRAINT "error_projects_org_id_project_id_pk" PRIMARY KEY("org_id","project_id")
);
--> statement-breakpoint
CREATE TABLE "error_releases" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"release_id" text NOT NULL,
	"pending" integer DEFAULT 0 NOT NULL,
	"pending_fingerprints" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"pending_since" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"told_at" timestamp (3) with time zone,
	"noted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "error_releases_org_id_project_id_release_id_pk" PRIMARY KEY("org_id","project_id","release_id")
);
--> statement-breakpoint
CREATE TABLE "function_invocations" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"span" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"function" text NOT NULL,
	"release_id" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "function_invocations_org_id_project_id_span_starts_at_function_release_id_pk" PRIMARY KEY("org_id","project_id","span","starts_at","function","release_id")
);
--> statement-breakpoint
CREATE TABLE "release_activations" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"activated_at" timestamp (3) with time zone NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "release_activations_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"release_id" text NOT NULL,
	CONSTRAINT "release_activations_org_id_project_id_activated_at_seq_pk" PRIMARY KEY("org_id","project_id","activated_at","seq")
);
--> statement-breakpoint
CREATE INDEX "error_counts_starts_idx" ON "error_counts" USING btree ("starts_at");
--> statement-breakpoint
CREATE INDEX "error_projects_gone_idx" ON "error_projects" USING btree ("gone_at") WHERE "error_projects"."gone_at" is not null;
--> statement-breakpoint
CREATE INDEX "error_releases_due_idx" ON "error_releases" USING btree ("due_at");
--> statement-breakpoint
CREATE INDEX "function_invocations_minutes_idx" ON "function_invocations" USING btree ("starts_at") WHERE "function_invocations"."span" = 'minute';
--> statement-breakpoint
CREATE INDEX "function_invocations_hours_idx" ON "function_invocations" USING btree ("starts_at") WHERE "function_invocations"."span" = 'hour';
--> statement-breakpoint
-- Domain: escalations (db/schema/escalations.ts)
CREATE TABLE "escalation_attempts" (
	"org_id" uuid NOT NULL,
	"escalation_id" uuid NOT NULL,
	"mail_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"email" text NOT NULL,
	"channel" text NOT NULL,
	"status" text NOT NULL,
	"error" text,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "escalation_attempts_org_id_escalation_id_mail_id_attempt_pk" PRIMARY KEY("org_id","escalation_id","mail_id","attempt")
);
--> statement-breakpoint
CREATE TABLE "escalation_contacts" (
	"org_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"email" text NOT NULL,
	"display_name" text,
	"level" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "escalation_contacts_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "escalation_pages" (
	"org_id" uuid NOT NULL,
	"escalation_id" uuid NOT NULL,
	"wave" integer NOT NULL,
	"contact_id" uuid NOT NULL,
	"email" text NOT NULL,
	"display_name" text,
	"level" integer NOT NULL,
	"token_hash" text NOT NULL,
	"token_expires_at" timestamp (3) with time zone NOT NULL,
	"mail_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "escalation_pages_org_id_escalation_id_wave_contact_id_pk" PRIMARY KEY("org_id","escalation_id","wave","contact_id")
);
--> statement-breakpoint
CREATE TABLE "escalations" (
	"org_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"project_id" text,
	"raised_by" text NOT NULL,
	"delegate_id" uuid,
	"presence_name" text,
	"severity" text NOT NULL,
	"reason" text NOT NULL,
	"details" jsonb NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"level" integer NOT NULL,
	"climbs" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"repage_count" integer DEFAULT 0 NOT NULL,
	"waves" integer DEFAULT 0 NOT NULL,
	"deadline_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone,
	"awaits_contact" boolean DEFAULT false NOT NULL,
	"idempotency_key" text,
	"acknowledged_at" timestamp (3) with time zone,
	"acknowledged_by_email" text,
	"acknowledged_via" text,
	"resolved_at" timestamp (3) with time zone,
	"resolved_by_email" text,
	"resolved_note" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "escalations_org_id_id_pk" PRIMARY KEY("org_id","id"),
	CONSTRAINT "escalations_reason_size" CHECK (octet_length("escalations"."reason") <= 4096),
	CONSTRAINT "escalations_ladder" CHECK ("escalations"."status" = 'open' or ("escalations"."due_at" is null and not "escalations"."awaits_contact"))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "escalation_contacts_rung_uq" ON "escalation_contacts" USING btree ("org_id","email","level");
--> statement-breakpoint
CREATE UNIQUE INDEX "escalation_pages_token_uq" ON "escalation_pages" USING btree ("token_hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "escalation_pages_mail_uq" ON "escalation_pages" USING btree ("mail_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "escalations_replay_uq" ON "escalations" USING btree ("org_id","raised_by","idempotency_key");
--> statement-breakpoint
CREATE INDEX "escalations_newest_idx" ON "escalations" USING btree ("org_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "escalations_status_idx" ON "escalations" USING btree ("org_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "escalations_raiser_idx" ON "escalations" USING btree ("raised_by","org_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "escalations_open_idx" ON "escalations" USING btree ("org_id") WHERE "escalations"."status" = 'open';
--> statement-breakpoint
CREATE INDEX "escalations_due_idx" ON "escalations" USING btree ("due_at") WHERE "escalations"."due_at" is not null;
--> statement-breakpoint
-- Domain: events (db/schema/events.ts)
CREATE TABLE "app_event_keys" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"org_id" uuid NOT NULL,
	"position" bigint,
	"type" text NOT NULL,
	"payload" json NOT NULL,
	"truncated" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "app_event_keys_project_id_key_pk" PRIMARY KEY("project_id","key")
);
--> statement-breakpoint
CREATE TABLE "event_floors" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_keys" (
	"org_id" uuid NOT NULL,
	"key" text NOT NULL,
	"position" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_keys_org_id_key_pk" PRIMARY KEY("org_id","key")
);
--> statement-breakpoint
-- By hand, since drizzle cannot declare partitions; db/partitioned/events.ts has the types of the columns.
-- db/event-partitions.ts makes and drops the partitions by month.
CREATE TABLE "events" (
	"org_id" uuid NOT NULL,
	"position" bigint NOT NULL,
	"project_id" text,
	"type" text NOT NULL,
	"class" text NOT NULL,
	"source" text NOT NULL,
	"payload" json NOT NULL,
	"occurred_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kept_days" smallint NOT NULL,
	CONSTRAINT "events_pk" PRIMARY KEY("org_id","position","kept_days","occurred_at")
) PARTITION BY LIST ("kept_days");
--> statement-breakpoint
CREATE TABLE "events_90" PARTITION OF "events" FOR VALUES IN (90) PARTITION BY RANGE ("occurred_at");
--> statement-breakpoint
CREATE TABLE "events_365" PARTITION OF "events" FOR VALUES IN (365) PARTITION BY RANGE ("occurred_at");
--> statement-breakpoint
CREATE INDEX "app_event_keys_org_idx" ON "app_event_keys" USING btree ("org_id");
--> statement-breakpoint
CREATE INDEX "event_keys_told_idx" ON "event_keys" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "event_keys_messages_idx" ON "event_keys" USING btree ("created_at") WHERE "event_keys"."key" like 'message:%';
--> statement-breakpoint
CREATE INDEX "events_of_project_idx" ON "events" USING btree ("org_id","project_id","source","position");
--> statement-breakpoint
CREATE INDEX "events_of_project_type_idx" ON "events" USING btree ("org_id","project_id","type","position");
--> statement-breakpoint
CREATE INDEX "events_source_idx" ON "events" USING btree ("org_id","source","position");
--> statement-breakpoint
CREATE INDEX "events_type_idx" ON "events" USING btree ("org_id","type","position");
--> statement-breakpoint
-- Domain: hosts (db/schema/hosts.ts)
CREATE TABLE "host_names" (
	"name" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "host_names_project_idx" ON "host_names" USING btree ("org_id","project_id");
--> statement-breakpoint
-- Domain: identity (db/schema/identity.ts)
CREATE TABLE "authenticators" (
	"id" uuid PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"kind" text NOT NULL,
	"public_subject" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"verified_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "principals" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"display_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"disabled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"principal_id" text NOT NULL,
	"email" text,
	"provenance" text NOT NULL,
	"amr_times" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"absolute_expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"secret_hash" text,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"proven_by" text[],
	"client" text
);
--> statement-breakpoint
CREATE TABLE "wallet_nonces" (
	"address" text NOT NULL,
	"nonce" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "wallet_nonces_address_nonce_pk" PRIMARY KEY("address","nonce")
);
--> statement-breakpoint
CREATE TABLE "write_approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"action" text NOT NULL,
	"target_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"absolute_expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE UNIQUE INDEX "authenticators_subject_uq" ON "authenticators" USING btree ("kind","public_subject");
--> statement-breakpoint
CREATE INDEX "authenticators_principal_idx" ON "authenticators" USING btree ("principal_id");
--> statement-breakpoint
CREATE INDEX "sessions_principal_idx" ON "sessions" USING btree ("principal_id");
--> statement-breakpoint
CREATE INDEX "sessions_ends_idx" ON "sessions" USING btree ("absolute_expires_at");
--> statement-breakpoint
CREATE INDEX "wallet_nonces_expiry_idx" ON "wallet_nonces" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "write_approvals_token_uq" ON "write_approvals" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "write_approvals_session_idx" ON "write_approvals" USING btree ("session_id");
--> statement-breakpoint
CREATE INDEX "write_approvals_ends_idx" ON "write_approvals" USING btree ("absolute_expires_at");
--> statement-breakpoint
-- Domain: incidents (db/schema/incidents.ts)
CREATE TABLE "platform_incident_projects" (
	"incident_id" text NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	CONSTRAINT "platform_incident_projects_incident_id_project_id_pk" PRIMARY KEY("incident_id","project_id")
);
--> statement-breakpoint
CREATE TABLE "platform_incidents" (
	"id" text PRIMARY KEY NOT NULL,
	"subsystem" text NOT NULL,
	"severity" text NOT NULL,
	"scope" text NOT NULL,
	"summary" text NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"resolved_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "platform_incident_projects_org_idx" ON "platform_incident_projects" USING btree ("org_id","project_id");
--> statement-breakpoint
CREATE INDEX "platform_incidents_open_idx" ON "platform_incidents" USING btree ("id") WHERE resolved_at is null;
--> statement-breakpoint
-- Domain: inquiries (db/schema/inquiries.ts)
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
CREATE INDEX "inquiries_created_at_idx" ON "inquiries" USING btree ("created_at");
--> statement-breakpoint
-- Domain: kept-results (db/schema/kept-results.ts)
CREATE TABLE "kept_results" (
	"ref" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"items" text NOT NULL,
	"bytes" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"session" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX "kept_results_owner_idx" ON "kept_results" USING btree ("owner");
--> statement-breakpoint
CREATE INDEX "kept_results_expiry_idx" ON "kept_results" USING btree ("expires_at");
--> statement-breakpoint
-- Domain: live (db/schema/live.ts)
CREATE TABLE "live_connections" (
	"project_id" text NOT NULL,
	"node_id" text NOT NULL,
	"count" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "live_connections_project_id_node_id_pk" PRIMARY KEY("project_id","node_id")
);
--> statement-breakpoint
CREATE TABLE "live_projects" (
	"project_id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE INDEX "live_connections_node_idx" ON "live_connections" USING btree ("node_id");
--> statement-breakpoint
CREATE INDEX "live_connections_expiry_idx" ON "live_connections" USING btree ("expires_at");
--> statement-breakpoint
-- Domain: operator-contacts (db/schema/operator-contacts.ts)
CREATE TABLE "operator_contact_challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"email" text NOT NULL,
	"token_hash" text NOT NULL,
	"mail_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "operator_contacts" (
	"principal_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text,
	"webhook" text,
	"email_verified_at" timestamp (3) with time zone,
	"email_verified_message_id" text,
	"email_challenge_sent_at" timestamp (3) with time zone,
	"passkey_pending_at" timestamp (3) with time zone,
	"passkey_bound_at" timestamp (3) with time zone,
	"active_passkey_id" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "operator_contact_challenges_token_uq" ON "operator_contact_challenges" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "operator_contact_challenges_email_idx" ON "operator_contact_challenges" USING btree ("email","created_at");
--> statement-breakpoint
CREATE INDEX "operator_contact_challenges_principal_idx" ON "operator_contact_challenges" USING btree ("principal_id","created_at");
--> statement-breakpoint
CREATE INDEX "operator_contact_challenges_expires_idx" ON "operator_contact_challenges" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "operator_contacts_email_idx" ON "operator_contacts" USING btree ("email");
--> statement-breakpoint
-- Domain: orgs (db/schema/orgs.ts)
CREATE TABLE "audit_events" (
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "audit_events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL,
	"org_id" uuid,
	"occurred_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"action" text NOT NULL,
	"actor" jsonb NOT NULL,
	"object_kind" text NOT NULL,
	"object_id" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"trace_id" text NOT NULL,
	CONSTRAINT "audit_events_seq_pk" PRIMARY KEY("seq")
);
--> statement-breakpoint
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
CREATE TABLE "memberships" (
	"org_id" uuid NOT NULL,
	"principal_id" text NOT NULL,
	"id" uuid NOT NULL,
	"role" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"invited_email" text,
	"invited_by" text,
	"invite_expires_at" timestamp (3) with time zone,
	"invite_mailed_at" timestamp (3) with time zone,
	CONSTRAINT "memberships_org_id_principal_id_pk" PRIMARY KEY("org_id","principal_id")
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
CREATE TABLE "orgs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"display_name" text,
	"slug" text,
	"tier" text NOT NULL,
	"lifecycle_state" text DEFAULT 'active' NOT NULL,
	"lease_perpetual" boolean DEFAULT true NOT NULL,
	"lease_started_at" timestamp (3) with time zone NOT NULL,
	"lease_expires_at" timestamp (3) with time zone NOT NULL,
	"limit_overrides" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"home_of" text,
	"created_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lifecycle_entered_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"emptied_at" timestamp (3) with time zone,
	"usage_since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"payout_wallet" text
);
--> statement-breakpoint
CREATE INDEX "audit_events_org_idx" ON "audit_events" USING btree ("org_id","seq");
--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_entries_reference_uq" ON "ledger_entries" USING btree ("org_id","reference_type","reference_id","kind");
--> statement-breakpoint
CREATE INDEX "memberships_principal_idx" ON "memberships" USING btree ("principal_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "org_slugs_current_uq" ON "org_slugs" USING btree ("org_id") WHERE "org_slugs"."released_at" is null;
--> statement-breakpoint
CREATE INDEX "org_slugs_org_idx" ON "org_slugs" USING btree ("org_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "orgs_slug_uq" ON "orgs" USING btree ("slug");
--> statement-breakpoint
CREATE UNIQUE INDEX "orgs_home_uq" ON "orgs" USING btree ("home_of");
--> statement-breakpoint
CREATE INDEX "orgs_lease_idx" ON "orgs" USING btree ("lifecycle_state","lease_expires_at") WHERE not "orgs"."lease_perpetual" and "orgs"."lifecycle_state" <> 'purged';
--> statement-breakpoint
CREATE INDEX "orgs_left_idx" ON "orgs" USING btree ("id") WHERE "orgs"."lifecycle_state" = 'purged' and "orgs"."emptied_at" is null;
--> statement-breakpoint
CREATE INDEX "orgs_purged_idx" ON "orgs" USING btree ("id") WHERE "orgs"."lifecycle_state" = 'purged';
--> statement-breakpoint
CREATE INDEX "orgs_pinned_idx" ON "orgs" USING btree ("usage_since") WHERE "orgs"."lease_perpetual";
--> statement-breakpoint
-- By hand: the database itself refuses to change or delete an entry of the ledger.
CREATE FUNCTION "refuse_ledger_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Ledger entries are only ever added.' USING ERRCODE = 'restrict_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER "ledger_entries_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_entries"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_ledger_change"();
--> statement-breakpoint
-- Domain: payments (db/schema/payments.ts)
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
CREATE UNIQUE INDEX "payments_nonce_uq" ON "payments" USING btree ("chain_id","asset","payer","nonce");
--> statement-breakpoint
CREATE UNIQUE INDEX "payments_transfer_uq" ON "payments" USING btree ("chain_id","tx_hash","log_index");
--> statement-breakpoint
CREATE UNIQUE INDEX "payments_identifier_uq" ON "payments" USING btree ("identifier") WHERE identifier is not null;
--> statement-breakpoint
CREATE INDEX "payments_open_idx" ON "payments" USING btree ("created_at") WHERE state <> 'delivered';
--> statement-breakpoint
CREATE INDEX "payments_outcome_idx" ON "payments" USING btree ("created_at") WHERE outcome is not null or identifier is not null;
--> statement-breakpoint
CREATE INDEX "payments_org_idx" ON "payments" USING btree ("org_id","created_at") WHERE org_id is not null;
--> statement-breakpoint
-- Domain: platform (db/schema/platform.ts)
CREATE TABLE "idempotency_keys" (
	"scope" text NOT NULL,
	"operation" text NOT NULL,
	"key" text NOT NULL,
	"digest" text NOT NULL,
	"lease_token" text NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"step_id" text,
	"outcome" "bytea",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_scope_operation_key_pk" PRIMARY KEY("scope","operation","key")
);
--> statement-breakpoint
CREATE TABLE "mail_outbox" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"body_text" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "platform_facts" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry_idx" ON "idempotency_keys" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "mail_outbox_newest_idx" ON "mail_outbox" USING btree ("created_at","id");
--> statement-breakpoint
CREATE INDEX "mail_outbox_test_idx" ON "mail_outbox" USING btree ("recipient","created_at") WHERE "mail_outbox"."recipient" like '%.invalid';
--> statement-breakpoint
-- Domain: products (db/schema/products.ts)
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
CREATE INDEX "bundles_sold_idx" ON "bundles" USING btree ("sold_at");
--> statement-breakpoint
CREATE INDEX "downloads_expires_idx" ON "downloads" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "downloads_sha256_idx" ON "downloads" USING btree ("sha256");
--> statement-breakpoint
CREATE INDEX "downloads_order_idx" ON "downloads" USING btree ("order_id");
--> statement-breakpoint
CREATE INDEX "orders_tier_idx" ON "orders" USING btree ("tier","created_at");
--> statement-breakpoint
CREATE INDEX "orders_tx_idx" ON "orders" USING btree ("network","tx_hash");
--> statement-breakpoint
-- Domain: projects (db/schema/projects.ts)
CREATE SEQUENCE "public"."project_slots" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;
--> statement-breakpoint
CREATE TABLE "delegates" (
	"org_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"grant_id" uuid NOT NULL,
	"principal_id" text NOT NULL,
	"kind" text NOT NULL,
	"token_hash" text,
	"scope" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"spend_cap" jsonb,
	"public_subject" text,
	"created_by" text,
	CONSTRAINT "delegates_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "project_grants" (
	"org_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"capability" text NOT NULL,
	"policy" jsonb,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_by" text,
	CONSTRAINT "project_grants_org_id_id_pk" PRIMARY KEY("org_id","id")
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
CREATE TABLE "projects" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"public_id" text NOT NULL,
	"name" text NOT NULL,
	"repo_name" text,
	"state" text NOT NULL,
	"schema_slot" text NOT NULL,
	"server" text NOT NULL,
	"database_name" text NOT NULL,
	"role_name" text NOT NULL,
	"created_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"creator" jsonb,
	"template_version" integer DEFAULT 0 NOT NULL,
	"template_tried_at" timestamp (3) with time zone,
	CONSTRAINT "projects_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "step_operations" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"operation" text NOT NULL,
	"ref" jsonb NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "step_operations_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "usage_flushes" (
	"node" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"flushed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "delegates_token_idx" ON "delegates" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "delegates_project_idx" ON "delegates" USING btree ("org_id","project_id");
--> statement-breakpoint
CREATE INDEX "project_grants_principal_idx" ON "project_grants" USING btree ("principal_id","project_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "project_grants_live_uq" ON "project_grants" USING btree ("org_id","project_id","principal_id","capability") WHERE "project_grants"."revoked_at" is null;
--> statement-breakpoint
CREATE INDEX "project_usage_since_idx" ON "project_usage" USING btree ("since");
--> statement-breakpoint
CREATE INDEX "projects_id_idx" ON "projects" USING btree ("id");
--> statement-breakpoint
CREATE UNIQUE INDEX "projects_public_id_uq" ON "projects" USING btree ("public_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "projects_repo_name_uq" ON "projects" USING btree ("org_id","repo_name");
--> statement-breakpoint
CREATE INDEX "projects_newest_idx" ON "projects" USING btree ("org_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "projects_template_version_idx" ON "projects" USING btree ("template_version","id") WHERE "projects"."state" = 'ready' and "projects"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX "step_operations_id_idx" ON "step_operations" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "step_operations_running_idx" ON "step_operations" USING btree ("state","lease_until");
--> statement-breakpoint
-- Domain: room-invites (db/schema/room-invites.ts)
CREATE TABLE "room_invites" (
	"org_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"room_key" text NOT NULL,
	"auth_hash" text NOT NULL,
	"note" text,
	"created_by" text NOT NULL,
	"inviter_presence_id" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claimed_by" text,
	"claimed_at" timestamp (3) with time zone,
	"payment_id" text,
	CONSTRAINT "room_invites_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "room_invites_id_uq" ON "room_invites" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "room_invites_expires_idx" ON "room_invites" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "room_invites_open_idx" ON "room_invites" USING btree ("org_id","room_key","expires_at") WHERE revoked_at is null and claimed_at is null;
--> statement-breakpoint
-- Domain: rooms (db/schema/rooms.ts)
CREATE TABLE "feed_heads" (
	"org_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"feed_id" text NOT NULL,
	"position" bigint NOT NULL,
	"floor" bigint DEFAULT 0 NOT NULL,
	"unmirrored_from" bigint,
	CONSTRAINT "feed_heads_org_id_kind_feed_id_pk" PRIMARY KEY("org_id","kind","feed_id")
);
--> statement-breakpoint
CREATE TABLE "room_addressees" (
	"org_id" uuid NOT NULL,
	"presence_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"thread_id" text,
	CONSTRAINT "room_addressees_org_id_presence_id_seq_pk" PRIMARY KEY("org_id","presence_id","seq")
);
--> statement-breakpoint
CREATE TABLE "room_messages" (
	"org_id" uuid NOT NULL,
	"room_key" text NOT NULL,
	"seq" bigint NOT NULL,
	"id" text NOT NULL,
	"sender_presence_id" text NOT NULL,
	"sender_name" text NOT NULL,
	"principal_id" text NOT NULL,
	"body" text NOT NULL,
	"thread_id" text,
	"importance" text NOT NULL,
	"ack_required" boolean NOT NULL,
	"recipients" jsonb NOT NULL,
	"idempotency_key" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "room_messages_org_id_room_key_seq_pk" PRIMARY KEY("org_id","room_key","seq"),
	CONSTRAINT "room_messages_body_size" CHECK (octet_length("room_messages"."body") <= 32768)
);
--> statement-breakpoint
CREATE TABLE "room_presences" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"room_key" text NOT NULL,
	"principal_id" text NOT NULL,
	"name" text NOT NULL,
	"task" text,
	"program" text,
	"model" text,
	"session_key" text,
	"last_active" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"left_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"read_seq" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "room_presences_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "room_sends" (
	"org_id" uuid NOT NULL,
	"day" date NOT NULL,
	"room_key" text NOT NULL,
	"sent" integer NOT NULL,
	CONSTRAINT "room_sends_org_id_day_room_key_pk" PRIMARY KEY("org_id","day","room_key")
);
--> statement-breakpoint
CREATE TABLE "rooms" (
	"org_id" uuid NOT NULL,
	"key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "rooms_org_id_key_pk" PRIMARY KEY("org_id","key")
);
--> statement-breakpoint
CREATE INDEX "feed_heads_unmirrored_idx" ON "feed_heads" USING btree ("unmirrored_from","org_id","feed_id") WHERE unmirrored_from is not null;
--> statement-breakpoint
CREATE INDEX "room_addressees_thread_idx" ON "room_addressees" USING btree ("org_id","thread_id","presence_id","seq") WHERE thread_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "room_messages_id_uq" ON "room_messages" USING btree ("id","org_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "room_messages_replay_uq" ON "room_messages" USING btree ("org_id","sender_presence_id","idempotency_key");
--> statement-breakpoint
CREATE INDEX "room_messages_thread_idx" ON "room_messages" USING btree ("org_id","thread_id","room_key","seq") WHERE thread_id is not null;
--> statement-breakpoint
CREATE INDEX "room_messages_created_idx" ON "room_messages" USING btree ("created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_id_uq" ON "room_presences" USING btree ("id","org_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_name_uq" ON "room_presences" USING btree ("org_id",(lower("name") collate "C"),"room_key");
--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_session_uq" ON "room_presences" USING btree ("org_id","principal_id","session_key","room_key");
--> statement-breakpoint
CREATE INDEX "room_presences_live_idx" ON "room_presences" USING btree ("org_id","room_key","expires_at");
--> statement-breakpoint
CREATE INDEX "room_sends_day_idx" ON "room_sends" USING btree ("day");
--> statement-breakpoint
-- Domain: vaults (db/schema/vaults.ts)
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
CREATE UNIQUE INDEX "member_encryption_keys_current_uq" ON "member_encryption_keys" USING btree ("org_id","principal_id") WHERE "member_encryption_keys"."state" <> 'revoked';
--> statement-breakpoint
CREATE INDEX "member_encryption_keys_principal_idx" ON "member_encryption_keys" USING btree ("principal_id");
--> statement-breakpoint
CREATE INDEX "vault_writers_principal_idx" ON "vault_writers" USING btree ("org_id","principal_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "vaults_project_uq" ON "vaults" USING btree ("org_id","project_id");
--> statement-breakpoint
-- Foreign keys of all domains, once every table is there
ALTER TABLE "approval_challenges" ADD CONSTRAINT "approval_challenges_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "ceremony_challenges" ADD CONSTRAINT "ceremony_challenges_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "ceremony_challenges" ADD CONSTRAINT "ceremony_challenges_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "device_flows" ADD CONSTRAINT "device_flows_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "loopback_flows" ADD CONSTRAINT "loopback_flows_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "mailed_links" ADD CONSTRAINT "mailed_links_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "oauth_flows" ADD CONSTRAINT "oauth_flows_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "org_recovery_postures" ADD CONSTRAINT "org_recovery_postures_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "wallet_claims" ADD CONSTRAINT "wallet_claims_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "escalation_attempts" ADD CONSTRAINT "escalation_attempts_escalation_fk" FOREIGN KEY ("org_id","escalation_id") REFERENCES "public"."escalations"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "escalation_contacts" ADD CONSTRAINT "escalation_contacts_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "escalation_pages" ADD CONSTRAINT "escalation_pages_escalation_fk" FOREIGN KEY ("org_id","escalation_id") REFERENCES "public"."escalations"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "escalations" ADD CONSTRAINT "escalations_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "authenticators" ADD CONSTRAINT "authenticators_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "write_approvals" ADD CONSTRAINT "write_approvals_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "platform_incident_projects" ADD CONSTRAINT "platform_incident_projects_incident_id_platform_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."platform_incidents"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "operator_contact_challenges" ADD CONSTRAINT "operator_contact_challenges_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "operator_contacts" ADD CONSTRAINT "operator_contacts_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "org_balances" ADD CONSTRAINT "org_balances_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "org_slugs" ADD CONSTRAINT "org_slugs_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "orgs" ADD CONSTRAINT "orgs_home_of_principals_id_fk" FOREIGN KEY ("home_of") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "orgs" ADD CONSTRAINT "orgs_created_by_principals_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "downloads" ADD CONSTRAINT "downloads_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "downloads" ADD CONSTRAINT "downloads_sha256_bundles_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."bundles"("sha256") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "delegates" ADD CONSTRAINT "delegates_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "project_grants" ADD CONSTRAINT "project_grants_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_created_by_principals_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "room_invites" ADD CONSTRAINT "room_invites_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "rooms" ADD CONSTRAINT "rooms_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "member_encryption_keys" ADD CONSTRAINT "member_encryption_keys_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "vaults" ADD CONSTRAINT "vaults_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;
