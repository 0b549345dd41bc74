CREATE TABLE "channel_communities" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"authority_subject" text NOT NULL,
	"relay_url" text,
	"status" text DEFAULT 'pending' NOT NULL,
	"proof_content" text NOT NULL,
	"approval_event_id" text,
	"is_default" boolean DEFAULT false NOT NULL,
	"policy" jsonb NOT NULL,
	"policy_revision" integer DEFAULT 1 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"activated_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"route_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"event_type" text NOT NULL,
	"project_id" text,
	"position" bigint,
	"payload" json NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"envelope" text,
	"envelope_event_id" text,
	"projection_hash" text,
	"signing_generation" integer,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now(),
	"armed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"suppressed_reason" text,
	"release_id" text,
	"thread" text,
	"thread_root_id" text,
	"delivered_at" timestamp (3) with time zone,
	"terminal_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"community_id" text NOT NULL,
	"public_key" text NOT NULL,
	"generation" integer DEFAULT 1 NOT NULL,
	"sealed" "bytea",
	"next_public_key" text,
	"next_sealed" "bytea",
	"authorized_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_routes" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"community_id" text NOT NULL,
	"key_id" text NOT NULL,
	"name" text NOT NULL,
	"channel_id" text NOT NULL,
	"project_scope" text NOT NULL,
	"project_ids" text[] NOT NULL,
	"event_types" text[],
	"event_classes" text[],
	"includes_org_events" boolean NOT NULL,
	"on_call_public_key" text,
	"on_call_name" text,
	"status" text DEFAULT 'pending_authorization' NOT NULL,
	"pause_reason" text,
	"resumes_as" text,
	"paused_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"revision" integer DEFAULT 1 NOT NULL,
	"start_after" bigint NOT NULL,
	"cursor" bigint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now(),
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "channel_communities_org_idx" ON "channel_communities" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_communities_active_uq" ON "channel_communities" USING btree ("org_id","subject") WHERE "channel_communities"."status" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "channel_communities_default_uq" ON "channel_communities" USING btree ("org_id") WHERE "channel_communities"."is_default";--> statement-breakpoint
CREATE UNIQUE INDEX "channel_deliveries_event_uq" ON "channel_deliveries" USING btree ("route_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_deliveries_root_uq" ON "channel_deliveries" USING btree ("route_id","thread") WHERE "channel_deliveries"."thread" is not null and "channel_deliveries"."thread_root_id" is null;--> statement-breakpoint
CREATE INDEX "channel_deliveries_newest_idx" ON "channel_deliveries" USING btree ("route_id","created_at","id");--> statement-breakpoint
CREATE INDEX "channel_deliveries_due_idx" ON "channel_deliveries" USING btree ("route_id","next_attempt_at") WHERE "channel_deliveries"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "channel_deliveries_created_idx" ON "channel_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "channel_deliveries_project_idx" ON "channel_deliveries" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_keys_community_uq" ON "channel_keys" USING btree ("community_id") WHERE "channel_keys"."sealed" is not null;--> statement-breakpoint
CREATE INDEX "channel_routes_org_idx" ON "channel_routes" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_routes_name_uq" ON "channel_routes" USING btree ("community_id","name") WHERE "channel_routes"."status" <> 'revoked';--> statement-breakpoint
CREATE INDEX "channel_routes_due_idx" ON "channel_routes" USING btree ("due_at") WHERE "channel_routes"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "channel_routes_lane_idx" ON "channel_routes" USING btree ("community_id","due_at") WHERE "channel_routes"."due_at" is not null;