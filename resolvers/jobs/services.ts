import type { LeasedWork } from '../../kernel/durability/leased-work.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Works on managed jobs, on this node. */
    readonly jobWork: LeasedWork;
    /** Tells of ends of jobs, on this node. */
    readonly jobCallbackWork: LeasedWork;
    /** How many jobs there may be. */
    readonly jobLimits: JobLimits;
  }
}

export interface JobLimits {
  /** Jobs of one project that wait and run. */
  readonly perProject: number;
  /** Jobs of all projects that wait and run. */
  readonly queued: number;
}
