CREATE TABLE "project_branches" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"parent_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"name" text NOT NULL,
	"snapshot_id" text NOT NULL,
	"takes_snapshot" boolean NOT NULL,
	"status" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"captured_at" timestamp (3) with time zone,
	"parent_release_id" text,
	"branch_release_id" text,
	"error" jsonb,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "function_mail_triggers" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"function" text NOT NULL,
	"trigger_id" text NOT NULL,
	"release_id" text NOT NULL,
	"mailbox" text NOT NULL,
	"events" text[] NOT NULL,
	"run" jsonb NOT NULL,
	CONSTRAINT "function_mail_triggers_org_id_project_id_function_trigger_id_pk" PRIMARY KEY("org_id","project_id","function","trigger_id")
);
--> statement-breakpoint
CREATE TABLE "chat_bindings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"code_hash" text,
	"code_expires_at" timestamp (3) with time zone,
	"chat_id" bigint,
	"chat_type" text,
	"chat_title" text,
	"label" text,
	"sealed_url" "bytea",
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"activated_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "notice_preferences" (
	"principal_id" text PRIMARY KEY NOT NULL,
	"email" boolean DEFAULT true NOT NULL,
	"webhook" boolean DEFAULT true NOT NULL,
	"digest_cadence" text DEFAULT 'weekly' NOT NULL,
	"digest_day" integer DEFAULT 1 NOT NULL,
	"digest_hour" integer DEFAULT 9 NOT NULL,
	"threshold_alerts" text DEFAULT 'immediate' NOT NULL,
	"lifecycle_events" text DEFAULT 'all' NOT NULL,
	"locale" text DEFAULT 'en-US' NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"digest_due_at" timestamp (3) with time zone,
	"digested_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"webhook_secret" "bytea",
	"secret_rotated_at" timestamp (3) with time zone,
	"webhook_failures" integer DEFAULT 0 NOT NULL,
	"webhook_disabled_at" timestamp (3) with time zone,
	"tested_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notice_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"binding_id" uuid NOT NULL,
	"project_id" text,
	"source" text,
	"event_types" text[],
	"classes" text[],
	"enabled" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"id" text PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"fact" text NOT NULL,
	"kind" text NOT NULL,
	"channel" text NOT NULL,
	"target" text NOT NULL,
	"recipient_email" text,
	"event_type" text,
	"org_id" uuid,
	"project_id" text,
	"payload" jsonb,
	"redacted_at" timestamp (3) with time zone,
	"is_test" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'deferred' NOT NULL,
	"error" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"mail_id" text,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_thresholds" (
	"org_id" uuid NOT NULL,
	"resource" text NOT NULL,
	"level" text NOT NULL,
	"crossed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_value" text NOT NULL,
	CONSTRAINT "usage_thresholds_org_id_resource_pk" PRIMARY KEY("org_id","resource")
);
--> statement-breakpoint
ALTER TABLE "function_invocations" ADD COLUMN "failed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "function_invocations" ADD COLUMN "latency" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "branch" jsonb;--> statement-breakpoint
ALTER TABLE "chat_bindings" ADD CONSTRAINT "chat_bindings_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_preferences" ADD CONSTRAINT "notice_preferences_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_rules" ADD CONSTRAINT "notice_rules_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_rules" ADD CONSTRAINT "notice_rules_binding_id_chat_bindings_id_fk" FOREIGN KEY ("binding_id") REFERENCES "public"."chat_bindings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "project_branches_parent_idx" ON "project_branches" USING btree ("parent_id","created_at","id");--> statement-breakpoint
CREATE INDEX "project_branches_due_idx" ON "project_branches" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_branches_lane_idx" ON "project_branches" USING btree ("parent_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "project_branches_expiry_idx" ON "project_branches" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "function_mail_triggers_mailbox_idx" ON "function_mail_triggers" USING btree ("project_id","mailbox");--> statement-breakpoint
CREATE UNIQUE INDEX "chat_bindings_code_uq" ON "chat_bindings" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "chat_bindings_principal_idx" ON "chat_bindings" USING btree ("principal_id","created_at");--> statement-breakpoint
CREATE INDEX "chat_bindings_pending_idx" ON "chat_bindings" USING btree ("code_expires_at") WHERE "chat_bindings"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "chat_bindings_revoked_idx" ON "chat_bindings" USING btree ("revoked_at") WHERE "chat_bindings"."status" = 'revoked';--> statement-breakpoint
CREATE INDEX "notice_preferences_digest_idx" ON "notice_preferences" USING btree ("digest_due_at") WHERE "notice_preferences"."digest_due_at" is not null;--> statement-breakpoint
CREATE INDEX "notice_rules_principal_idx" ON "notice_rules" USING btree ("principal_id","created_at");--> statement-breakpoint
CREATE INDEX "notice_rules_binding_idx" ON "notice_rules" USING btree ("binding_id");--> statement-breakpoint
CREATE UNIQUE INDEX "notices_fact_uq" ON "notices" USING btree ("fact","channel","target");--> statement-breakpoint
CREATE INDEX "notices_newest_idx" ON "notices" USING btree ("principal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "notices_due_idx" ON "notices" USING btree ("due_at") WHERE "notices"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "notices_lane_idx" ON "notices" USING btree ("principal_id","due_at") WHERE "notices"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "notices_mail_idx" ON "notices" USING btree ("mail_id") WHERE "notices"."mail_id" is not null;--> statement-breakpoint
CREATE INDEX "notices_created_idx" ON "notices" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notices_target_idx" ON "notices" USING btree ("target","created_at") WHERE "notices"."channel" = 'email';