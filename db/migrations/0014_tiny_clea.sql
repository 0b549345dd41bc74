CREATE TABLE "cache_generations" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"host" text NOT NULL,
	"generation" bigint NOT NULL,
	CONSTRAINT "cache_generations_org_id_project_id_host_pk" PRIMARY KEY("org_id","project_id","host")
);
--> statement-breakpoint
CREATE TABLE "cached_pages" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"host" text NOT NULL,
	"target" text NOT NULL,
	"locale" text NOT NULL,
	"release_id" text NOT NULL,
	"release_generation" bigint NOT NULL,
	"generation" bigint NOT NULL,
	"status" integer NOT NULL,
	"headers" jsonb NOT NULL,
	"body" "bytea" NOT NULL,
	"bytes" integer NOT NULL,
	"sha256" text NOT NULL,
	"cached_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "cached_pages_org_id_project_id_key_pk" PRIMARY KEY("org_id","project_id","key")
);
--> statement-breakpoint
CREATE INDEX "cached_pages_project_idx" ON "cached_pages" USING btree ("org_id","project_id","expires_at","bytes");--> statement-breakpoint
CREATE INDEX "cached_pages_host_idx" ON "cached_pages" USING btree ("org_id","project_id","host");--> statement-breakpoint
CREATE INDEX "cached_pages_expires_idx" ON "cached_pages" USING btree ("expires_at");