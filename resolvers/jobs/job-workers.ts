import { jobCallbacks, managedJobs } from '../../db/schema/jobs.ts';
import type { CommandRunner } from '../../engines/sandbox/command-runner.ts';
import { leasedStatements } from '../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { sendCallback } from './callbacks/send-callback.ts';
import { runJob } from './run-job.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Works on managed jobs, on this node. */
    readonly jobWork: LeasedWork;
    /** Tells of ends of jobs, on this node. */
    readonly jobCallbackWork: LeasedWork;
    /** How many jobs there may be. */
    readonly jobLimits: JobLimits;
    /** Runs commands that do the work of jobs, on this node. */
    readonly commands: CommandRunner;
  }

  interface ServiceSettings {
    /** Folder of the root file systems that commands run in; undefined: there are none. */
    readonly jobRoots: string | undefined;
  }
}

interface JobLimits {
  /** Jobs of one project that wait and run. */
  readonly perProject: number;
  /** Jobs of all projects that wait and run. */
  readonly queued: number;
}

/** How long a node that has a row is believed to be alive, in seconds. */
const leaseSeconds = 30;

/** Managed jobs, in turns between projects. */
export const jobWork: LeasedKind = {
  statements: leasedStatements(
    {
      table: managedJobs,
      id: managedJobs.id,
      lane: managedJobs.projectId,
      dueAt: managedJobs.dueAt,
      lease: managedJobs.lease,
    },
    leaseSeconds,
  ),
  run: runJob,
  atOnce: 8,
  perLane: 2,
  // How soon a node finds out that a job was cancelled elsewhere; a fraction of the lease.
  renewMs: 2_000,
};

/** Ends of jobs that somebody is told of, in turns between projects. */
export const jobCallbackWork: LeasedKind = {
  statements: leasedStatements(
    {
      table: jobCallbacks,
      id: jobCallbacks.id,
      lane: jobCallbacks.projectId,
      dueAt: jobCallbacks.dueAt,
      lease: jobCallbacks.lease,
    },
    leaseSeconds,
  ),
  run: sendCallback,
  atOnce: 10,
  perLane: 3,
  renewMs: 10_000,
};
