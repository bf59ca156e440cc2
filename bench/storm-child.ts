import { cudaOomWorld } from '../src/standins/scenarios/scenarios.ts';
import { addSiblings, setStage, startOn } from './stage.ts';

// 200 pods of one workload die at once, and someone asks for each of them.
const stage = await setStage(cudaOomWorld(Date.now()));
const pods = addSiblings(stage, 200);
const { service, people } = await startOn(stage, 'http');
stage.api.forgetRequests();
await Promise.all(pods.map((pod) => people.command({ text: `triage llm/${pod}`, channel: 'C_LLM' })));
await stage.slack.until('the finding', () => stage.slack.state.files.size > 0, 30_000);
// Stopping waits for all that is under way.
await service.stop();
const cards = stage.slack.state.messages.filter(({ threadTs }) => threadTs === undefined).length;
console.log(JSON.stringify({ cards, calls: stage.api.requests.length }));
await stage.close();
