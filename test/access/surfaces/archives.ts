import { randomUUID } from 'node:crypto';
import type { Stage, Surfaces } from './surface.ts';

/** A file that nobody has uploaded. */
const nobodys = 'f'.repeat(64);

export const archiveSurfaces = ({ params, service }: Stage): Surfaces => {
  const sql = (text: string, values: readonly unknown[] = [params.project_id]) =>
    service.control.sql(text, [...values]);
  /** An archive that is being made, as far as its row says. */
  const archive = async () => {
    const id = `arc_of_${randomUUID()}`;
    await sql('delete from project_archives where project_id = $1');
    await sql(
      `insert into project_archives (id, org_id, project_id, operation_id, status, auth_export, consistency_mode, expires_at)
       select $2, org_id, id, 'op_none', 'running', 'stubs', 'pause-writes', now() + interval '1 day'
       from projects where id = $1`,
      [params.project_id, id],
    );
    return { archive_id: id };
  };
  const none = async () => {
    await sql('delete from project_archives where project_id = $1');
    return undefined;
  };
  const imported = async () => {
    const id = `arci_of_${randomUUID()}`;
    await sql(
      `insert into archive_imports (id, org_id, lane, project_id, operation_id, project_name, archive_sha256, archive_digest,
         status, required_secrets, diagnostics)
       select $2, org_id, org_id::text, id, 'op_none', 'Imported', $3, 'sha256:' || $3, 'imported', '[]', '[]'
       from projects where id = $1`,
      [params.project_id, id, nobodys],
    );
    return { import_id: id };
  };
  const place = () => `org: "${params.org_id}", archiveSha256: "${nobodys}"`;
  const search = () => `?org_id=${params.org_id}&archive_sha256=${nobodys}`;
  return {
    'POST /projects/v1/:project_id/archives': {
      cells: 'A + W F N F A F',
      prepare: none,
      audited: {
        action: 'archive.created',
        kind: 'archive',
        objectId: 'archive_id',
        written: `select xmin::text from audit_events where action = 'archive.created' and object_id = $1`,
      },
      field: () => `mutation { exportProjectArchive(input: { project: "${params.project_id}" }) { archiveId } }`,
    },
    'GET /projects/v1/:project_id/archives': {
      cells: 'A + + + + F A F',
      prepare: archive,
      field: () => `{ project(id: "${params.project_id}") { archives { edges { cursor } } } }`,
    },
    'GET /projects/v1/:project_id/archives/:archive_id': {
      cells: 'A + + + + F A F',
      prepare: archive,
      field: () => `{ project(id: "${params.project_id}") { archive(archive: "${params.archive_id}") { archiveId } } }`,
    },
    // It is not ready.
    'GET /projects/v1/:project_id/archives/:archive_id/download': {
      cells: 'A Q Q Q N F A F',
      prepare: archive,
      field: () =>
        `{ projectArchiveFile(project: "${params.project_id}", archive: "${params.archive_id}") { filename } }`,
    },
    'POST /archives/v1/uploads': {
      cells: 'A + + F N F A F',
      body: () => ({ org_id: params.org_id, sha256: nobodys, size: 10_240 }),
      field: () =>
        `mutation { planArchiveUpload(input: { org: "${params.org_id}", sha256: "${nobodys}", size: 10240 }) { sha256 } }`,
    },
    'POST /archives/v1/uploads/commit': {
      cells: 'A B B F N F A F',
      body: () => ({ org_id: params.org_id, sha256: 'e'.repeat(64) }),
      field: () =>
        `mutation { commitArchiveUpload(input: { org: "${params.org_id}", sha256: "${'e'.repeat(64)}" }) { sha256 } }`,
    },
    'GET /archives/v1/inspect': {
      cells: 'A B B B N F A F',
      search,
      field: () => `{ inspectProjectArchive(${place()}) { archiveDigest } }`,
    },
    'GET /archives/v1/verify': {
      cells: 'A B B B N F A F',
      search,
      field: () => `{ verifyProjectArchive(${place()}) { ok } }`,
    },
    'POST /archives/v1/import': {
      cells: 'A B B F N F A F',
      body: () => ({ org_id: params.org_id, archive_sha256: nobodys }),
      field: () => `mutation { importProjectArchive(input: { ${place()} }) { status } }`,
    },
    'GET /archives/v1/imports/:import_id': {
      cells: 'A + + + N F A F',
      prepare: imported,
      search: () => `?org_id=${params.org_id}`,
      field: () => `{ archiveImport(org: "${params.org_id}", import: "${params.import_id}") { status } }`,
    },
  };
};
