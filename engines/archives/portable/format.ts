/** The version of archives that is written and read here. */
export const archiveVersion = 'svc-project-archive.v1';

const schemaOf = (kind: string) => `svc.project_archive.${kind}.v1`;
const jsonType = (kind: string) => `application/vnd.svc.project-archive.${kind}.v1+json`;

export const layoutPath = 'svc-layout.json';
export const indexPath = 'index.json';

export const layoutSchema = schemaOf('layout');
export const indexSchema = schemaOf('index');
export const layoutType = jsonType('layout');
export const indexType = jsonType('index');

/** The media type of an archive that travels as a tar. */
export const tarType = 'application/x-tar';

/** The end of a file's name. */
export const fileEnding = '.svcar';

export const releaseSpecSchema = 'svc.release_spec.v1';

/** A document of every archive: where it is, what it is, and whether it is part of what the archive is. */
interface DocumentKind {
  readonly path: string;
  readonly mediaType: string;
  /** Names the layout of a document of JSON. */
  readonly schema?: string;
  /** Whether two exports of one state have the same one. */
  readonly identity: boolean;
}

/** The documents of an archive by the names of their descriptors. */
export const documents = {
  release_spec: {
    path: 'manifest/release-spec.json',
    mediaType: 'application/vnd.svc.release-spec.v1+json',
    identity: true,
  },
  portable_release_state: {
    path: 'manifest/portable-release-state.json',
    mediaType: 'application/vnd.svc.portable-release-state.v1+json',
    identity: true,
  },
  fact_set: {
    path: 'manifest/fact-set.json',
    mediaType: 'application/vnd.svc.release-fact-set.v1+json',
    identity: true,
  },
  portability_report: {
    path: 'manifest/portability-report.json',
    mediaType: jsonType('portability-report'),
    schema: schemaOf('portability_report'),
    identity: false,
  },
  export_report: {
    path: 'manifest/export-report.json',
    mediaType: jsonType('export-report'),
    schema: schemaOf('export_report'),
    identity: false,
  },
  'database.pre_data_sql': {
    path: 'database/pre-data.sql',
    mediaType: 'application/sql; dialect=postgresql',
    identity: true,
  },
  'database.tables': {
    path: 'database/tables.json',
    mediaType: jsonType('database-tables'),
    schema: schemaOf('database_tables'),
    identity: true,
  },
  'database.sequences': {
    path: 'database/sequences.json',
    mediaType: jsonType('database-sequences'),
    schema: schemaOf('database_sequences'),
    identity: true,
  },
  'database.post_data_sql': {
    path: 'database/post-data.sql',
    mediaType: 'application/sql; dialect=postgresql',
    identity: true,
  },
  'auth.config': {
    path: 'auth/config.json',
    mediaType: jsonType('auth-config'),
    schema: schemaOf('auth_config'),
    identity: true,
  },
  'auth.subjects': {
    path: 'auth/subjects.ndjson',
    mediaType: 'application/x-ndjson; profile=svc-auth-subject-stubs-v1',
    identity: true,
  },
  'storage.index': {
    path: 'storage/index.json',
    mediaType: jsonType('storage-index'),
    schema: schemaOf('storage_index'),
    identity: true,
  },
  'runtime.index': {
    path: 'runtime/index.json',
    mediaType: jsonType('runtime-index'),
    schema: schemaOf('runtime_index'),
    identity: true,
  },
  secret_requirements: {
    path: 'secrets/requirements.json',
    mediaType: jsonType('secret-requirements'),
    schema: schemaOf('secret_requirements'),
    identity: true,
  },
  secret_env_template: {
    path: 'secrets/required.env.template',
    mediaType: 'text/plain; profile=svc-required-env-template-v1',
    identity: true,
  },
} as const satisfies Readonly<Record<string, DocumentKind>>;

export type DocumentName = keyof typeof documents;

/** Documents by their names, for whoever has a name that may be any. */
export const documentOf = (name: string): DocumentKind | undefined =>
  Object.hasOwn(documents, name) ? documents[name as DocumentName] : undefined;

export const copyType = 'application/vnd.postgresql.copy.text';
export const blobType = 'application/octet-stream';

/** Where the rows of a table are. */
export const copyPath = (id: string) => `database/data/${id}.copy`;
/** Where bytes are that are known by their digest. */
export const blobPath = (sha256: string) => `blobs/sha256/${sha256}`;

/** What whoever imports an archive has to know how to do. */
export const capabilities = {
  releaseState: 'svc.core.release-state.v1',
  database: 'svc.core.database.phased-postgres-copy.v1',
  storage: 'svc.core.storage.cas.v1',
  functions: 'svc.core.functions.node22.v1',
  ssr: 'svc.core.astro-ssr.v1',
  authStubs: 'svc.core.auth-stubs.v1',
  secrets: 'svc.core.secret-requirements.v1',
} as const;

const mebibyte = 1024 * 1024;

/** What an archive may have. */
export const archiveLimits = {
  files: 20_000,
  /** All of it, in bytes. */
  expandedBytes: 512 * mebibyte,
  fileBytes: 128 * mebibyte,
  /** A document of JSON. */
  descriptorBytes: 2 * mebibyte,
  /** Definitions of a database: they are read at once. */
  sqlBytes: 16 * mebibyte,
  jsonDepth: 64,
  pathBytes: 255,
} as const;

/** Bounds of what is read; smaller ones for tests. */
export type ArchiveLimits = { readonly [Name in keyof typeof archiveLimits]: number };
