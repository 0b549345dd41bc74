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
CREATE TABLE "daily_counts" (
	"org_id" uuid NOT NULL,
	"resource" text NOT NULL,
	"day" date NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "daily_counts_org_id_resource_day_pk" PRIMARY KEY("org_id","resource","day")
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
	CONSTRAINT "room_invites_org_id_id_pk" PRIMARY KEY("org_id","id")
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
CREATE TABLE "room_sends" (
	"org_id" uuid NOT NULL,
	"day" date NOT NULL,
	"room_key" text NOT NULL,
	"sent" integer NOT NULL,
	CONSTRAINT "room_sends_org_id_day_room_key_pk" PRIMARY KEY("org_id","day","room_key")
);
--> statement-breakpoint
ALTER TABLE "feed_heads" ADD COLUMN "unmirrored_from" bigint;--> statement-breakpoint
ALTER TABLE "room_presences" ADD COLUMN "read_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "escalation_attempts" ADD CONSTRAINT "escalation_attempts_escalation_fk" FOREIGN KEY ("org_id","escalation_id") REFERENCES "public"."escalations"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "escalation_contacts" ADD CONSTRAINT "escalation_contacts_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "escalation_pages" ADD CONSTRAINT "escalation_pages_escalation_fk" FOREIGN KEY ("org_id","escalation_id") REFERENCES "public"."escalations"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "escalations" ADD CONSTRAINT "escalations_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_incident_projects" ADD CONSTRAINT "platform_incident_projects_incident_id_platform_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."platform_incidents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_contact_challenges" ADD CONSTRAINT "operator_contact_challenges_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_contacts" ADD CONSTRAINT "operator_contacts_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_invites" ADD CONSTRAINT "room_invites_org_id_orgs_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."orgs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "feed_changes_created_idx" ON "feed_changes" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "room_claims_id_uq" ON "room_claims" USING btree ("id","org_id");--> statement-breakpoint
CREATE INDEX "room_claims_standing_idx" ON "room_claims" USING btree ("org_id","room_key","expires_at") WHERE released_at is null;--> statement-breakpoint
CREATE INDEX "room_claims_holder_idx" ON "room_claims" USING btree ("org_id","presence_id","expires_at") WHERE released_at is null;--> statement-breakpoint
CREATE INDEX "room_claims_expires_idx" ON "room_claims" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "room_claims_history_idx" ON "room_claims" USING btree ("org_id","room_key","created_at");--> statement-breakpoint
CREATE INDEX "error_releases_due_idx" ON "error_releases" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "function_invocations_starts_idx" ON "function_invocations" USING btree ("starts_at");--> statement-breakpoint
CREATE UNIQUE INDEX "escalation_contacts_rung_uq" ON "escalation_contacts" USING btree ("org_id","email","level");--> statement-breakpoint
CREATE UNIQUE INDEX "escalation_pages_token_uq" ON "escalation_pages" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "escalation_pages_mail_uq" ON "escalation_pages" USING btree ("mail_id");--> statement-breakpoint
CREATE UNIQUE INDEX "escalations_replay_uq" ON "escalations" USING btree ("org_id","raised_by","idempotency_key");--> statement-breakpoint
CREATE INDEX "escalations_newest_idx" ON "escalations" USING btree ("org_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "escalations_raiser_idx" ON "escalations" USING btree ("raised_by","org_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "escalations_open_idx" ON "escalations" USING btree ("org_id") WHERE "escalations"."status" = 'open';--> statement-breakpoint
CREATE INDEX "escalations_due_idx" ON "escalations" USING btree ("due_at") WHERE "escalations"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "app_event_keys_org_idx" ON "app_event_keys" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "event_keys_told_idx" ON "event_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "platform_incident_projects_org_idx" ON "platform_incident_projects" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "platform_incidents_open_idx" ON "platform_incidents" USING btree ("id") WHERE resolved_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "operator_contact_challenges_token_uq" ON "operator_contact_challenges" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "operator_contact_challenges_email_idx" ON "operator_contact_challenges" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "operator_contact_challenges_principal_idx" ON "operator_contact_challenges" USING btree ("principal_id","created_at");--> statement-breakpoint
CREATE INDEX "operator_contacts_email_idx" ON "operator_contacts" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "room_invites_id_uq" ON "room_invites" USING btree ("id");--> statement-breakpoint
CREATE INDEX "room_invites_expires_idx" ON "room_invites" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "room_invites_open_idx" ON "room_invites" USING btree ("org_id","room_key","expires_at") WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX "room_addressees_thread_idx" ON "room_addressees" USING btree ("org_id","thread_id","presence_id","seq") WHERE thread_id is not null;--> statement-breakpoint
CREATE INDEX "room_sends_day_idx" ON "room_sends" USING btree ("day");--> statement-breakpoint
CREATE INDEX "feed_heads_unmirrored_idx" ON "feed_heads" USING btree ("unmirrored_from","org_id","feed_id") WHERE unmirrored_from is not null;--> statement-breakpoint
CREATE INDEX "room_messages_thread_idx" ON "room_messages" USING btree ("org_id","thread_id","room_key","seq") WHERE thread_id is not null;--> statement-breakpoint
CREATE INDEX "room_messages_created_idx" ON "room_messages" USING btree ("created_at");