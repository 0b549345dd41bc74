import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { callContract } from './calls/call-contract.ts';
import { deployContract } from './calls/deploy-contract.ts';
import { getCallStatus, listCalls, readContract } from './calls/read-calls.ts';
import { wakeCallsTask } from './calls/wake.ts';
import { setLowBalanceAlert, setRecoveryAddress } from './change-signer.ts';
import { deleteSigner } from './delete-signer.ts';
import { drainSigner } from './drain-signer.ts';
import { signerErrors } from './error-codes.ts';
import { signerEvents } from './event-types.ts';
import { chargeRent, chargeRentTask } from './metering/charge-rent.ts';
import { watchSigners, watchSignersTask } from './metering/watch-signers.ts';
import { deleteOfProject } from './metering/wind-up.ts';
import { provisionSigner } from './provision-signer.ts';
import { getSigner, listSigners } from './read-signers.ts';
import { signerActions } from './shared/actions.ts';

// What they hold goes to their recovery addresses; a key outlives its project by the window of deletion.
onProjectDeletion(async (work, project) => void (await work.rows(deleteOfProject.with(project))));

export const signersDomain = domain('signers', {
  errors: signerErrors,
  actions: signerActions,
  events: signerEvents,
  operations: [
    provisionSigner,
    listSigners,
    getSigner,
    setRecoveryAddress,
    setLowBalanceAlert,
    drainSigner,
    deleteSigner,
    callContract,
    deployContract,
    readContract,
    getCallStatus,
    listCalls,
  ],
  jobs: [
    { task: wakeCallsTask, run: async ({ ctx }) => ctx.services.contractCalls.wake() },
    { task: chargeRentTask, run: chargeRent, everyMinutes: 10 },
    { task: watchSignersTask, run: watchSigners, everyMinutes: 5 },
  ],
});
