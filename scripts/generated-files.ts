import { consoleDocuments } from './console-documents.ts';
import { consoleRights } from './console-rights.ts';
import { commandRows } from './generate-commands.ts';
import { configurationPage } from './generate-configuration.ts';
import { coveragePage } from './generate-coverage.ts';
import { errorsPage } from './generate-errors.ts';
import { operationsPage } from './generate-operations.ts';
import { surfacesPage } from './generate-surfaces.ts';
import { printedSchema } from './print-schema.ts';
import { archiveFiles } from './sdk/archive-files.ts';
import { sdkFiles } from './sdk/files.ts';

/** Every file that is printed from the code, with what it has to hold. */
export const generatedFiles: Readonly<Record<string, () => string>> = {
  ...(await consoleDocuments()),
  'clients/console/src/session/rights.ts': consoleRights,
  'schema/schema.graphql': printedSchema,
  'docs/configuration.md': configurationPage,
  'docs/coverage.md': coveragePage,
  'docs/errors.md': errorsPage,
  'docs/operations.md': operationsPage,
  'docs/surfaces.md': surfacesPage,
  ...sdkFiles(),
  ...(await archiveFiles()),
  ...commandRows(),
};
