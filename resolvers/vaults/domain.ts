import { domain } from '../../kernel/run/domain.ts';
import { admitWriter } from './admit-writer.ts';
import { enrolKey } from './enrol-key.ts';
import { vaultErrors } from './error-codes.ts';
import { findVault } from './find-vault.ts';
import { takePush } from './push.ts';
import { registerVault } from './register-vault.ts';
import { reportLostKey } from './report-lost-key.ts';
import { rotateEpoch } from './rotate-epoch.ts';

export const vaults = domain('vaults', {
  errors: vaultErrors,
  operations: [findVault, enrolKey, reportLostKey, registerVault, admitWriter, takePush, rotateEpoch],
});
