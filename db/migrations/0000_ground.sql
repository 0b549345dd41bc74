CREATE SEQUENCE "public"."project_slots" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "authenticators" (
	"id" uuid PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"kind" text NOT NULL,
	"public_subject" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp (3) with time zone
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
	"revoked_at" timestamp (3) with time zone
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
CREATE TABLE "memberships" (
	"org_id" uuid NOT NULL,
	"principal_id" text NOT NULL,
	"id" uuid NOT NULL,
	"role" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memberships_org_id_principal_id_pk" PRIMARY KEY("org_id","principal_id")
);
--> statement-breakpoint
CREATE TABLE "orgs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"display_name" text,
	"slug" text,
	"tier" text NOT NULL,
	"lifecycle_state" text DEFAULT 'active' NOT NULL,
	"lease_perpetual" boolean DEFAULT false NOT NULL,
	"lease_started_at" timestamp (3) with time zone NOT NULL,
	"lease_expires_at" timestamp (3) with time zone NOT NULL,
	"limit_overrides" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"home_of" text,
	"created_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
	CONSTRAINT "project_grants_org_id_id_pk" PRIMARY KEY("org_id","id")
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
CREATE TABLE "feed_heads" (
	"org_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"feed_id" text NOT NULL,
	"position" bigint NOT NULL,
	"floor" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "feed_heads_org_id_kind_feed_id_pk" PRIMARY KEY("org_id","kind","feed_id")
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
	CONSTRAINT "room_presences_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "rooms" (
	"org_id" uuid NOT NULL,
	"key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "rooms_org_id_key_pk" PRIMARY KEY("org_id","key")
);
--> statement-breakpoint
ALTER TABLE "authenticators" ADD CONSTRAINT "authenticators_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "write_approvals" ADD CONSTRAINT "write_approvals_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orgs" ADD CONSTRAINT "orgs_home_of_principals_id_fk" FOREIGN KEY ("home_of") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orgs" ADD CONSTRAINT "orgs_created_by_principals_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delegates" ADD CONSTRAINT "delegates_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_grants" ADD CONSTRAINT "project_grants_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_created_by_principals_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rooms" ADD CONSTRAINT "rooms_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "authenticators_subject_uq" ON "authenticators" USING btree ("kind","public_subject");--> statement-breakpoint
CREATE INDEX "authenticators_principal_idx" ON "authenticators" USING btree ("principal_id");--> statement-breakpoint
CREATE INDEX "sessions_principal_idx" ON "sessions" USING btree ("principal_id");--> statement-breakpoint
CREATE INDEX "wallet_nonces_expiry_idx" ON "wallet_nonces" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "write_approvals_token_uq" ON "write_approvals" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "audit_events_org_idx" ON "audit_events" USING btree ("org_id","seq");--> statement-breakpoint
CREATE INDEX "memberships_principal_idx" ON "memberships" USING btree ("principal_id");--> statement-breakpoint
CREATE UNIQUE INDEX "orgs_slug_uq" ON "orgs" USING btree ("slug");--> statement-breakpoint
CREATE UNIQUE INDEX "orgs_home_uq" ON "orgs" USING btree ("home_of");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry_idx" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mail_outbox_newest_idx" ON "mail_outbox" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "delegates_token_idx" ON "delegates" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "project_grants_principal_idx" ON "project_grants" USING btree ("principal_id","project_id");--> statement-breakpoint
CREATE INDEX "projects_id_idx" ON "projects" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_repo_name_uq" ON "projects" USING btree ("org_id","repo_name");--> statement-breakpoint
CREATE INDEX "projects_newest_idx" ON "projects" USING btree ("org_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "step_operations_id_idx" ON "step_operations" USING btree ("id");--> statement-breakpoint
CREATE INDEX "step_operations_running_idx" ON "step_operations" USING btree ("state","lease_until");--> statement-breakpoint
CREATE UNIQUE INDEX "room_messages_id_uq" ON "room_messages" USING btree ("id","org_id");--> statement-breakpoint
CREATE UNIQUE INDEX "room_messages_replay_uq" ON "room_messages" USING btree ("org_id","sender_presence_id","idempotency_key");--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_id_uq" ON "room_presences" USING btree ("id","org_id");--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_name_uq" ON "room_presences" USING btree ("org_id","room_key",lower("name"));--> statement-breakpoint
CREATE UNIQUE INDEX "room_presences_session_uq" ON "room_presences" USING btree ("org_id","room_key","principal_id","session_key");--> statement-breakpoint
CREATE INDEX "room_presences_live_idx" ON "room_presences" USING btree ("org_id","room_key","expires_at");