/** Facts of the process that answers, none of them secret. */
export interface NodeFacts {
  /** Its row among the nodes, `nod_…`. */
  readonly nodeId: string;
  /** Version of the gateway. */
  readonly version: string;
  readonly startedAt: Date;
  readonly production: boolean;
  /** `embedded`: the gateway runs its own PostgreSQL; `external`: `DATABASE_URL` names one. */
  readonly database: 'embedded' | 'external';
  /** How nodes wake each other: `nats`, or `local` for a node that serves alone. */
  readonly signals: 'nats' | 'local';
  /** The data folder of this node, as an absolute path. */
  readonly dataFolder: string;
}

/** The contents of a backup. */
export interface BackupContents {
  readonly createdAt: Date;
  /** Version of the gateway that made it. */
  readonly gateway: string;
  /** Version of the server that it was made from. */
  readonly postgres: string;
  /** Databases that it holds, the control database among them. */
  readonly databases: number;
  /** Projects that it knows. */
  readonly projects: number;
  /** Those of them whose database could not be saved. */
  readonly missing: number;
  readonly rows: number;
  readonly files: number;
  /** Compressed, with parts that other backups share. */
  readonly bytes: number;
  /** `passphrase` or `root`: under which its secrets are encrypted. */
  readonly secrets: 'passphrase' | 'root';
}

/** A backup in a folder. */
export interface BackupSummary {
  /** Its name in the folder. */
  readonly run: string;
  readonly startedAt: Date;
  /** Null for a damaged one. */
  readonly contents: BackupContents | null;
  /** Why it cannot be read; null when it can. */
  readonly damaged: string | null;
}

/** Backups in the folder that this node knows. */
export interface Backups {
  /** Absolute path; undefined without `SVC_BACKUP_DIR`. */
  readonly folder: string | undefined;
  /** Those in the folder, the newest first; none without a folder. */
  readonly list: () => Promise<readonly BackupSummary[]>;
  /** Has a program make one behind the scenes. The row of the job says how far it has come. Never throws. */
  readonly start: (jobId: string) => void;
}

/** The epoch of feeds, in which positions are given out once. */
export interface Epochs {
  /** To be told that one was begun here: this node takes it over at once, and the others look. */
  readonly begun: (epoch: string) => void;
}

declare module '../../kernel/run/context.ts' {
  interface Services {
    readonly node: NodeFacts;
    readonly backups: Backups;
    readonly epochs: Epochs;
  }
}
