CREATE TABLE "project_secrets" (
	"org_id" uuid NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"updated_by" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_secrets_org_id_project_id_key_pk" PRIMARY KEY("org_id","project_id","key")
);
