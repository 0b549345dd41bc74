CREATE TABLE "ci_bindings" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"delegate_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"subject_match" text NOT NULL,
	"allowed_events" text[] NOT NULL,
	"route_scopes" text[] NOT NULL,
	"asset_key_scopes" text[] DEFAULT '{}' NOT NULL,
	"github_repository_id" text,
	"nonce" text NOT NULL,
	"created_sig" jsonb,
	"created_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"use_count" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "ci_bindings_nonce_uq" ON "ci_bindings" USING btree ("nonce");--> statement-breakpoint
CREATE INDEX "ci_bindings_project_idx" ON "ci_bindings" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "ci_bindings_delegate_idx" ON "ci_bindings" USING btree ("delegate_id");