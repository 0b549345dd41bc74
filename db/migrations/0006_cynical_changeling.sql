CREATE TABLE "content_objects" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"sha256" text NOT NULL,
	"size" bigint NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "content_objects_org_id_project_id_sha256_pk" PRIMARY KEY("org_id","project_id","sha256")
);
--> statement-breakpoint
CREATE TABLE "content_parts" (
	"upload_id" text NOT NULL,
	"number" integer NOT NULL,
	"etag" text NOT NULL,
	"arrived_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "content_parts_upload_id_number_pk" PRIMARY KEY("upload_id","number")
);
--> statement-breakpoint
CREATE TABLE "content_plans" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"project_id" text NOT NULL,
	"content" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"committed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "content_plans_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "content_removals" (
	"sha256" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "content_uploads" (
	"org_id" uuid NOT NULL,
	"id" text NOT NULL,
	"project_id" text NOT NULL,
	"sha256" text NOT NULL,
	"size" bigint NOT NULL,
	"part_size" bigint NOT NULL,
	"part_count" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "content_uploads_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE INDEX "content_objects_sha256_idx" ON "content_objects" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "content_objects_used_idx" ON "content_objects" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "content_plans_project_idx" ON "content_plans" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE INDEX "content_plans_expires_idx" ON "content_plans" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "content_uploads_object_uq" ON "content_uploads" USING btree ("org_id","project_id","sha256","size");--> statement-breakpoint
CREATE INDEX "content_uploads_id_idx" ON "content_uploads" USING btree ("id");--> statement-breakpoint
CREATE INDEX "content_uploads_expires_idx" ON "content_uploads" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "content_uploads_sha256_idx" ON "content_uploads" USING btree ("sha256");