ALTER TABLE "job_types" ALTER COLUMN "project_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "job_types" ALTER COLUMN "function" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "job_types" ADD COLUMN "command" text[];--> statement-breakpoint
ALTER TABLE "job_types" ADD COLUMN "root" text;--> statement-breakpoint
ALTER TABLE "job_types" ADD CONSTRAINT "job_types_worker" CHECK (num_nonnulls("job_types"."project_id", "job_types"."function") = case when "job_types"."command" is null then 2 else 0 end
        and ("job_types"."command" is null) = ("job_types"."root" is null));