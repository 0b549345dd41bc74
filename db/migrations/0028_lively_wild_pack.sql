CREATE TABLE "feedback" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"principal_id" text NOT NULL,
	"project_id" text,
	"message" text NOT NULL,
	"handle" text,
	"return_address" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "feedback_newest_idx" ON "feedback" USING btree ("created_at","id");