CREATE TABLE "function_builds" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"fingerprint" text NOT NULL,
	"code_hash" text NOT NULL,
	"runtime_version" text NOT NULL,
	"deps_resolved" jsonb NOT NULL,
	"bundle_sha256" text NOT NULL,
	"bundle_size" integer NOT NULL,
	"map_sha256" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "function_builds_org_id_project_id_fingerprint_pk" PRIMARY KEY("org_id","project_id","fingerprint")
);
--> statement-breakpoint
CREATE TABLE "function_logs" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "function_logs_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"function" text NOT NULL,
	"release_id" text NOT NULL,
	"request_id" text,
	"stream" text NOT NULL,
	"message" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "function_logs_org_id_project_id_position_pk" PRIMARY KEY("org_id","project_id","position")
);
--> statement-breakpoint
CREATE TABLE "release_functions" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"release_id" text NOT NULL,
	"name" text NOT NULL,
	"fingerprint" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "release_functions_org_id_project_id_release_id_name_pk" PRIMARY KEY("org_id","project_id","release_id","name")
);
--> statement-breakpoint
CREATE INDEX "function_logs_function_idx" ON "function_logs" USING btree ("org_id","project_id","function","at","position");--> statement-breakpoint
CREATE INDEX "function_logs_at_idx" ON "function_logs" USING btree ("at");