CREATE TABLE "asset_versions" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"path" text NOT NULL,
	"key" text NOT NULL,
	"version_sha256" text NOT NULL,
	"sha256" text NOT NULL,
	"size" bigint NOT NULL,
	"content_type" text NOT NULL,
	"visibility" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp (3) with time zone,
	CONSTRAINT "asset_versions_org_id_project_id_path_pk" PRIMARY KEY("org_id","project_id","path")
);
--> statement-breakpoint
CREATE TABLE "assets" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"sha256" text NOT NULL,
	"size" bigint NOT NULL,
	"content_type" text NOT NULL,
	"visibility" text NOT NULL,
	"immutable" boolean NOT NULL,
	"metadata" jsonb,
	"exif_policy" text DEFAULT 'keep' NOT NULL,
	"image" jsonb,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "assets_org_id_project_id_key_pk" PRIMARY KEY("org_id","project_id","key")
);
--> statement-breakpoint
DROP INDEX "content_objects_used_idx";--> statement-breakpoint
ALTER TABLE "content_objects" ADD COLUMN "named" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "content_objects" ADD COLUMN "given_up" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "asset_versions_key_idx" ON "asset_versions" USING btree ("org_id","project_id","key");--> statement-breakpoint
CREATE INDEX "asset_versions_sha256_idx" ON "asset_versions" USING btree ("project_id","sha256");--> statement-breakpoint
CREATE INDEX "asset_versions_retired_idx" ON "asset_versions" USING btree ("retired_at") WHERE "asset_versions"."retired_at" is not null;--> statement-breakpoint
CREATE INDEX "assets_key_idx" ON "assets" USING btree ("org_id","project_id",("key" collate "C"));--> statement-breakpoint
CREATE INDEX "assets_created_idx" ON "assets" USING btree ("org_id","project_id","created_at",("key" collate "C"));--> statement-breakpoint
CREATE INDEX "assets_sha256_idx" ON "assets" USING btree ("project_id","sha256");--> statement-breakpoint
CREATE INDEX "content_objects_used_idx" ON "content_objects" USING btree ("used_at") WHERE not "content_objects"."released" and not "content_objects"."named";