import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { startService } from '../src/main.ts';
import { watchAckOrder } from './ack-order.ts';

// The service on a thread of its own: what stand-ins and people compute holds up nobody's acknowledgement.
const watch = watchAckOrder();
const service = await startService(workerData);
parentPort?.postMessage({ port: service.port, alertPort: service.alertPort });
parentPort?.on('message', async (message: 'order' | 'heap' | 'stop') => {
  if (message === 'order') {
    watch.stop();
    parentPort?.postMessage({ tooEarly: watch.tooEarly });
  } else if (message === 'heap') {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    parentPort?.postMessage({ heap: process.memoryUsage().heapUsed });
  } else {
    await service.stop();
    parentPort?.postMessage({});
    parentPort?.close();
  }
});
