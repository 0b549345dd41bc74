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
ALTER TABLE "notice_preferences" ADD CONSTRAINT "notice_preferences_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notice_preferences_digest_idx" ON "notice_preferences" USING btree ("digest_due_at") WHERE "notice_preferences"."digest_due_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "notices_fact_uq" ON "notices" USING btree ("fact","channel","target");--> statement-breakpoint
CREATE INDEX "notices_newest_idx" ON "notices" USING btree ("principal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "notices_due_idx" ON "notices" USING btree ("due_at") WHERE "notices"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "notices_lane_idx" ON "notices" USING btree ("principal_id","due_at") WHERE "notices"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "notices_mail_idx" ON "notices" USING btree ("mail_id") WHERE "notices"."mail_id" is not null;--> statement-breakpoint
CREATE INDEX "notices_created_idx" ON "notices" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notices_target_idx" ON "notices" USING btree ("target","created_at") WHERE "notices"."channel" = 'email';