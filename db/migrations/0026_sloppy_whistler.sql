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
ALTER TABLE "chat_bindings" ADD CONSTRAINT "chat_bindings_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_rules" ADD CONSTRAINT "notice_rules_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "public"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_rules" ADD CONSTRAINT "notice_rules_binding_id_chat_bindings_id_fk" FOREIGN KEY ("binding_id") REFERENCES "public"."chat_bindings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "chat_bindings_code_uq" ON "chat_bindings" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "chat_bindings_principal_idx" ON "chat_bindings" USING btree ("principal_id","created_at");--> statement-breakpoint
CREATE INDEX "chat_bindings_pending_idx" ON "chat_bindings" USING btree ("code_expires_at") WHERE "chat_bindings"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "chat_bindings_revoked_idx" ON "chat_bindings" USING btree ("revoked_at") WHERE "chat_bindings"."status" = 'revoked';--> statement-breakpoint
CREATE INDEX "notice_rules_principal_idx" ON "notice_rules" USING btree ("principal_id","created_at");--> statement-breakpoint
CREATE INDEX "notice_rules_binding_idx" ON "notice_rules" USING btree ("binding_id");