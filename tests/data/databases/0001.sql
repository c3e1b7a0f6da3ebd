BEGIN TRANSACTION;
CREATE TABLE agent (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	identity VARCHAR NOT NULL, 
	model JSON NOT NULL, 
	harness JSON NOT NULL, 
	operations JSON NOT NULL, 
	volatile JSON NOT NULL, 
	moving_alias VARCHAR, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_agent PRIMARY KEY (id), 
	CONSTRAINT uq_agent_identity UNIQUE (identity)
);
INSERT INTO "agent" VALUES(1,'careful','sha256:44de24a3c4806d550c2f811b29cdf3ed8219ec983bf381b5788ff3e7dc08c879','{"requested": "model-careful"}','{"name": "chat"}','{"steps": 10}','{"base_url": "http://localhost:1"}',NULL,'2026-03-01 12:30:15.123456');
INSERT INTO "agent" VALUES(2,'hasty','sha256:8cb20d26cd7313744ea14d3802bf7a710da25fd461ea4de193ae94c5bcffe016','{"requested": "model-hasty"}','{"name": "chat"}','{"steps": 10}','{"base_url": "http://localhost:1"}',NULL,'2026-03-01 12:30:15.123456');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE attempt (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	revision_id INTEGER NOT NULL, 
	agent_id INTEGER NOT NULL, 
	trial_number INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	status VARCHAR, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	detail TEXT, 
	CONSTRAINT pk_attempt PRIMARY KEY (id), 
	CONSTRAINT ck_attempt_status CHECK (status = 'completed' OR status = 'agent_timeout' OR status = 'agent_error' OR status = 'limit_reached' OR status = 'refused' OR status = 'sandbox_error' OR status = 'rate_limited' OR status = 'provider_error' OR status = 'out_of_resources' OR status = 'interrupted' OR status = 'scorer_error' OR status = 'scorer_timeout' OR status = 'judge_error' OR status = 'simulator_error' OR status = 'cancelled' OR status = 'config_error' OR status = 'unknown_error' OR status = 'held' OR status = 'invalid'), 
	CONSTRAINT fk_attempt_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id), 
	CONSTRAINT fk_attempt_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id), 
	CONSTRAINT fk_attempt_revision_id_item_revision FOREIGN KEY(revision_id) REFERENCES item_revision (id), 
	CONSTRAINT uq_attempt_campaign_id_revision_id_agent_id_trial_number_number UNIQUE (campaign_id, revision_id, agent_id, trial_number, number)
);
INSERT INTO "attempt" VALUES(1,1,1,1,0,0,'completed','2026-03-01 12:30:15.123456','2026-03-01 12:30:18.123456',NULL);
INSERT INTO "attempt" VALUES(2,1,1,1,1,0,'completed','2026-03-01 12:30:15.123456','2026-03-01 12:30:18.123456',NULL);
INSERT INTO "attempt" VALUES(3,1,2,1,0,0,'judge_error','2026-03-01 12:30:15.123456','2026-03-01 12:30:18.123456',NULL);
INSERT INTO "attempt" VALUES(4,1,1,2,0,0,'agent_timeout','2026-03-01 12:30:15.123456','2026-03-01 12:30:18.123456',NULL);
INSERT INTO "attempt" VALUES(5,1,3,2,1,0,NULL,'2026-03-01 12:30:15.123456',NULL,NULL);
CREATE TABLE benchmark (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_benchmark PRIMARY KEY (id), 
	CONSTRAINT uq_benchmark_name UNIQUE (name)
);
INSERT INTO "benchmark" VALUES(1,'bench','2026-03-01 12:30:15.123456');
CREATE TABLE benchmark_version (
	id INTEGER NOT NULL, 
	benchmark_id INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	identity VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	title TEXT NOT NULL, 
	construct_statement TEXT NOT NULL, 
	licence VARCHAR NOT NULL, 
	owner VARCHAR NOT NULL, 
	canary VARCHAR, 
	scorer_defaults JSON NOT NULL, 
	warnings JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	released_at DATETIME, 
	CONSTRAINT pk_benchmark_version PRIMARY KEY (id), 
	CONSTRAINT ck_benchmark_version_origin CHECK (origin = 'live' OR origin = 'recorded'), 
	CONSTRAINT ck_benchmark_version_purpose CHECK (purpose = 'evaluation' OR purpose = 'training'), 
	CONSTRAINT ck_benchmark_version_state CHECK (state = 'draft' OR state = 'released' OR state = 'superseded'), 
	CONSTRAINT fk_benchmark_version_benchmark_id_benchmark FOREIGN KEY(benchmark_id) REFERENCES benchmark (id), 
	CONSTRAINT uq_benchmark_version_benchmark_id_identity UNIQUE (benchmark_id, identity)
);
INSERT INTO "benchmark_version" VALUES(1,1,'1.0.0','sha256:e4ad559aaacec19c70150ab289727b5242928722e281df14477cbab53a738cf1','released','live','evaluation','A bench','Doing things.','Apache-2.0','someone',NULL,'{"tolerance": 0.5}','["a warning"]','2026-03-01 12:30:15.123456','2026-03-01 12:30:15.123456');
CREATE TABLE campaign (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	version_id INTEGER NOT NULL, 
	origin VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	identity VARCHAR NOT NULL, 
	seed BIGINT, 
	trials INTEGER, 
	document JSON NOT NULL, 
	note TEXT NOT NULL, 
	import_id INTEGER, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	CONSTRAINT pk_campaign PRIMARY KEY (id), 
	CONSTRAINT ck_campaign_origin CHECK (origin = 'live' OR origin = 'recorded'), 
	CONSTRAINT ck_campaign_state CHECK (state = 'planned' OR state = 'running' OR state = 'finished' OR state = 'cancelled'), 
	CONSTRAINT fk_campaign_import_id_import_batch FOREIGN KEY(import_id) REFERENCES import_batch (id), 
	CONSTRAINT fk_campaign_version_id_benchmark_version FOREIGN KEY(version_id) REFERENCES benchmark_version (id), 
	CONSTRAINT uq_campaign_name UNIQUE (name)
);
INSERT INTO "campaign" VALUES(1,'c1',1,'live','running','sha256:c1',1099511627776,2,'{"max_attempts": 3}','',NULL,'2026-03-01 12:30:15.123456','2026-03-01 12:30:15.123456',NULL);
CREATE TABLE campaign_agent (
	campaign_id INTEGER NOT NULL, 
	agent_id INTEGER NOT NULL, 
	check_standard BOOLEAN NOT NULL, 
	CONSTRAINT pk_campaign_agent PRIMARY KEY (campaign_id, agent_id), 
	CONSTRAINT fk_campaign_agent_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id), 
	CONSTRAINT fk_campaign_agent_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);
INSERT INTO "campaign_agent" VALUES(1,1,0);
INSERT INTO "campaign_agent" VALUES(1,2,1);
CREATE TABLE campaign_item (
	campaign_id INTEGER NOT NULL, 
	revision_id INTEGER NOT NULL, 
	CONSTRAINT pk_campaign_item PRIMARY KEY (campaign_id, revision_id), 
	CONSTRAINT fk_campaign_item_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id), 
	CONSTRAINT fk_campaign_item_revision_id_item_revision FOREIGN KEY(revision_id) REFERENCES item_revision (id)
);
INSERT INTO "campaign_item" VALUES(1,1);
INSERT INTO "campaign_item" VALUES(1,2);
INSERT INTO "campaign_item" VALUES(1,3);
CREATE TABLE cell (
	campaign_id INTEGER NOT NULL, 
	revision_id INTEGER NOT NULL, 
	agent_id INTEGER NOT NULL, 
	n INTEGER NOT NULL, 
	passed INTEGER NOT NULL, 
	total FLOAT NOT NULL, 
	total_squares FLOAT NOT NULL, 
	missing INTEGER NOT NULL, 
	CONSTRAINT pk_cell PRIMARY KEY (campaign_id, revision_id, agent_id), 
	CONSTRAINT fk_cell_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id), 
	CONSTRAINT fk_cell_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id), 
	CONSTRAINT fk_cell_revision_id_item_revision FOREIGN KEY(revision_id) REFERENCES item_revision (id)
);
INSERT INTO "cell" VALUES(1,1,1,2,1,1.0,0.625,0);
INSERT INTO "cell" VALUES(1,1,2,1,0,0.0,0.0,0);
INSERT INTO "cell" VALUES(1,2,1,0,0,0.0,0.0,1);
CREATE TABLE coordinator (
	campaign_id INTEGER NOT NULL, 
	holder VARCHAR NOT NULL, 
	host VARCHAR NOT NULL, 
	pid INTEGER NOT NULL, 
	process_start VARCHAR NOT NULL, 
	acquired_at DATETIME NOT NULL, 
	heartbeat_at DATETIME NOT NULL, 
	CONSTRAINT pk_coordinator PRIMARY KEY (campaign_id), 
	CONSTRAINT fk_coordinator_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);
INSERT INTO "coordinator" VALUES(1,'gone','elsewhere',1,'','2026-03-01 12:30:15.123456','2026-03-01 12:30:15.123456');
CREATE TABLE import_batch (
	id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	source_name VARCHAR NOT NULL, 
	content_digest VARCHAR NOT NULL, 
	map_digest VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	account JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_import_batch PRIMARY KEY (id), 
	CONSTRAINT ck_import_batch_kind CHECK (kind = 'results' OR kind = 'outcomes'), 
	CONSTRAINT uq_import_batch_kind_content_digest_map_digest_target UNIQUE (kind, content_digest, map_digest, target)
);
INSERT INTO "import_batch" VALUES(1,'outcomes','outcomes.csv','sha256:content','sha256:map','','{"lines": 1}','2026-03-01 12:30:15.123456');
CREATE TABLE item (
	id INTEGER NOT NULL, 
	benchmark_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	CONSTRAINT pk_item PRIMARY KEY (id), 
	CONSTRAINT ck_item_state CHECK (state = 'draft' OR state = 'active' OR state = 'disputed' OR state = 'quarantined' OR state = 'retired'), 
	CONSTRAINT fk_item_benchmark_id_benchmark FOREIGN KEY(benchmark_id) REFERENCES benchmark (id), 
	CONSTRAINT uq_item_benchmark_id_name UNIQUE (benchmark_id, name)
);
INSERT INTO "item" VALUES(1,1,'a-1','draft');
INSERT INTO "item" VALUES(2,1,'a-2','draft');
INSERT INTO "item" VALUES(3,1,'b-1','quarantined');
CREATE TABLE item_revision (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	identity VARCHAR NOT NULL, 
	parts JSON NOT NULL, 
	document JSON NOT NULL, 
	family VARCHAR, 
	human_minutes FLOAT, 
	visibility VARCHAR NOT NULL, 
	scorer_identity VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_item_revision PRIMARY KEY (id), 
	CONSTRAINT fk_item_revision_item_id_item FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT uq_item_revision_item_id_identity UNIQUE (item_id, identity)
);
INSERT INTO "item_revision" VALUES(1,1,'sha256:c5576db602109877b7d9e37332bc066ec7dd3d89d1e92dcd68ca86d885eaab43','{"instruction": "sha256:837ade703c1f6a1ad808f0880f0a98dc8e14008d7e8b28abedc6e8306da8350c", "environment": "sha256:a12a08290211b9fbadfafa35eb27651ba03c3b1f123306c93aa776c9948d9dfa", "scorer": "sha256:87fc4c6b52e2780f9096db64706a5449e093e644fd175608f83e5365d58124aa", "reference": "sha256:1b99184adfcb54b943f0b5dbaee06ef2bb7f8159cfeaa2c655c7ad27a84bc63b", "metadata": "sha256:7a6466f7d101f82716439b0d84652259b7ea932a10f60fb793f042559dbb2bbe"}','{"name": "a-1", "instruction": "Do a-1.", "environment": {"kind": "chat"}, "scorer": {"kind": "exact", "expected": "a-1"}, "reference": {"answer": "a-1"}, "artifacts": [], "files": {}, "family": "a", "tags": ["small", "\u00fcberall"], "human_minutes": 2.5, "source": "", "visibility": "public", "canary": null}','a',2.5,'public','sha256:87fc4c6b52e2780f9096db64706a5449e093e644fd175608f83e5365d58124aa','2026-03-01 12:30:15.123456');
INSERT INTO "item_revision" VALUES(2,2,'sha256:7584658a9c7a84d209c280528887a73f95dbe6e81addcd1130ab358d36f44e0c','{"instruction": "sha256:95163c129695838c3f4c0025106dc70427fc299096fc345e4919a20e0cb76fdd", "environment": "sha256:a12a08290211b9fbadfafa35eb27651ba03c3b1f123306c93aa776c9948d9dfa", "scorer": "sha256:33fc31e190c4b53a61b8d2c6f073ae5d70586625881f45ec5d4ba05c5ddd122e", "reference": "sha256:09429b166c5fd1dd5e0770fd0eb3cecec2a87482bb2402cbb112af904f7ce217", "metadata": "sha256:7a6466f7d101f82716439b0d84652259b7ea932a10f60fb793f042559dbb2bbe"}','{"name": "a-2", "instruction": "Do a-2.", "environment": {"kind": "chat"}, "scorer": {"kind": "exact", "expected": "a-2"}, "reference": {"answer": "a-2"}, "artifacts": [], "files": {}, "family": "a", "tags": ["small", "\u00fcberall"], "human_minutes": 2.5, "source": "", "visibility": "public", "canary": null}','a',2.5,'public','sha256:33fc31e190c4b53a61b8d2c6f073ae5d70586625881f45ec5d4ba05c5ddd122e','2026-03-01 12:30:15.123456');
INSERT INTO "item_revision" VALUES(3,3,'sha256:29a7891179301fa727154d71898817623f90431eeae3d4aaf97e3797cf7bf894','{"instruction": "sha256:2bd04ea6f6ea19efd3a5290b12bb45aed82ae6e54806898844ebbec6cf8203fa", "environment": "sha256:a12a08290211b9fbadfafa35eb27651ba03c3b1f123306c93aa776c9948d9dfa", "scorer": "sha256:18606ca2c3edf5891bd8cafbc1516d3b6383c5b1e7a896ba1cb6d209cde6435a", "reference": "sha256:e8303f999682d30b0f1d76495a3c3e4c4e2a2fc06af439c1e167753f7f63dec4", "metadata": "sha256:1fcf214f70ae3fa9f5b1fdb90f11db28b7e7051ae986874c9140c370d0e18473"}','{"name": "b-1", "instruction": "Do b-1.", "environment": {"kind": "chat"}, "scorer": {"kind": "exact", "expected": "b-1"}, "reference": {"answer": "b-1"}, "artifacts": [], "files": {}, "family": "b", "tags": ["small", "\u00fcberall"], "human_minutes": 2.5, "source": "", "visibility": "public", "canary": null}','b',2.5,'public','sha256:18606ca2c3edf5891bd8cafbc1516d3b6383c5b1e7a896ba1cb6d209cde6435a','2026-03-01 12:30:15.123456');
CREATE TABLE lifecycle_event (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	state_before VARCHAR NOT NULL, 
	state_after VARCHAR NOT NULL, 
	actor VARCHAR NOT NULL, 
	reason TEXT NOT NULL, 
	evidence JSON NOT NULL, 
	occurred_at DATETIME NOT NULL, 
	CONSTRAINT pk_lifecycle_event PRIMARY KEY (id), 
	CONSTRAINT ck_lifecycle_event_state_after CHECK (state_after = 'draft' OR state_after = 'active' OR state_after = 'disputed' OR state_after = 'quarantined' OR state_after = 'retired'), 
	CONSTRAINT ck_lifecycle_event_state_before CHECK (state_before = 'draft' OR state_before = 'active' OR state_before = 'disputed' OR state_before = 'quarantined' OR state_before = 'retired'), 
	CONSTRAINT fk_lifecycle_event_item_id_item FOREIGN KEY(item_id) REFERENCES item (id)
);
INSERT INTO "lifecycle_event" VALUES(1,3,'draft','quarantined','ann','wrong key','{"trial": 1}','2026-03-01 12:30:15.123456');
CREATE TABLE observation (
	id INTEGER NOT NULL, 
	import_id INTEGER NOT NULL, 
	agent_name VARCHAR NOT NULL, 
	agent_id INTEGER, 
	period_start DATETIME, 
	period_end DATETIME, 
	segment VARCHAR NOT NULL, 
	measure VARCHAR NOT NULL, 
	value FLOAT NOT NULL, 
	n INTEGER, 
	censored BOOLEAN NOT NULL, 
	CONSTRAINT pk_observation PRIMARY KEY (id), 
	CONSTRAINT fk_observation_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id), 
	CONSTRAINT fk_observation_import_id_import_batch FOREIGN KEY(import_id) REFERENCES import_batch (id)
);
INSERT INTO "observation" VALUES(1,1,'careful',1,'2026-03-01 00:00:00.000000','2026-03-01 00:00:00.000000','all','resolved',0.5,10,0);
CREATE TABLE trial (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	revision_id INTEGER NOT NULL, 
	agent_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	status VARCHAR NOT NULL, 
	score FLOAT, 
	passed BOOLEAN, 
	attempts INTEGER NOT NULL, 
	started_at DATETIME, 
	duration_seconds FLOAT, 
	input_tokens BIGINT, 
	cached_input_tokens BIGINT, 
	cache_write_tokens BIGINT, 
	output_tokens BIGINT, 
	cost_usd FLOAT, 
	answer TEXT, 
	transcript VARCHAR, 
	model_served VARCHAR, 
	detail TEXT, 
	source_line INTEGER, 
	CONSTRAINT pk_trial PRIMARY KEY (id), 
	CONSTRAINT ck_trial_status CHECK (status = 'completed' OR status = 'agent_timeout' OR status = 'agent_error' OR status = 'limit_reached' OR status = 'refused' OR status = 'sandbox_error' OR status = 'rate_limited' OR status = 'provider_error' OR status = 'out_of_resources' OR status = 'interrupted' OR status = 'scorer_error' OR status = 'scorer_timeout' OR status = 'judge_error' OR status = 'simulator_error' OR status = 'cancelled' OR status = 'config_error' OR status = 'unknown_error' OR status = 'held' OR status = 'invalid'), 
	CONSTRAINT fk_trial_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id), 
	CONSTRAINT fk_trial_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id), 
	CONSTRAINT fk_trial_revision_id_item_revision FOREIGN KEY(revision_id) REFERENCES item_revision (id), 
	CONSTRAINT uq_trial_campaign_id_revision_id_agent_id_number UNIQUE (campaign_id, revision_id, agent_id, number)
);
INSERT INTO "trial" VALUES(1,1,1,1,0,'completed',0.75,1,1,'2026-03-01 12:30:15.123456',2.5,8589934592,NULL,NULL,7,0.25,'42','sha256:0000000000000000000000000000000000000000000000000000000000000000','model-x',NULL,NULL);
INSERT INTO "trial" VALUES(2,1,1,1,1,'completed',0.25,0,1,'2026-03-01 12:30:15.123456',2.5,8589934592,NULL,NULL,7,0.25,'42','sha256:0000000000000000000000000000000000000000000000000000000000000000','model-x',NULL,NULL);
INSERT INTO "trial" VALUES(3,1,2,1,0,'judge_error',NULL,NULL,1,'2026-03-01 12:30:15.123456',2.5,8589934592,NULL,NULL,7,0.25,'42','sha256:0000000000000000000000000000000000000000000000000000000000000000','model-x',NULL,NULL);
INSERT INTO "trial" VALUES(4,1,1,2,0,'agent_timeout',0.0,0,1,'2026-03-01 12:30:15.123456',2.5,8589934592,NULL,NULL,7,0.25,'42','sha256:0000000000000000000000000000000000000000000000000000000000000000','model-x',NULL,NULL);
CREATE TABLE verdict (
	id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	scorer_identity VARCHAR NOT NULL, 
	score FLOAT NOT NULL, 
	passed BOOLEAN NOT NULL, 
	criteria JSON NOT NULL, 
	evidence TEXT NOT NULL, 
	platform_version VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_verdict PRIMARY KEY (id), 
	CONSTRAINT fk_verdict_trial_id_trial FOREIGN KEY(trial_id) REFERENCES trial (id)
);
INSERT INTO "verdict" VALUES(1,1,'sha256:scorer',1.0,1,'{"right":1.0}','looked at it','0.1.0','2026-03-01 12:30:18.123456');
INSERT INTO "verdict" VALUES(2,2,'sha256:scorer',0.25,0,'{"right":0.25}','looked at it','0.1.0','2026-03-01 12:30:18.123456');
INSERT INTO "verdict" VALUES(3,4,'sha256:scorer',0.0,0,'{"right":0.0}','looked at it','0.1.0','2026-03-01 12:30:18.123456');
INSERT INTO "verdict" VALUES(4,1,'sha256:new',0.75,1,'{}','','0.1.1','2026-03-01 12:30:15.123456');
CREATE TABLE version_item (
	version_id INTEGER NOT NULL, 
	revision_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_version_item PRIMARY KEY (version_id, revision_id), 
	CONSTRAINT fk_version_item_revision_id_item_revision FOREIGN KEY(revision_id) REFERENCES item_revision (id), 
	CONSTRAINT fk_version_item_version_id_benchmark_version FOREIGN KEY(version_id) REFERENCES benchmark_version (id)
);
INSERT INTO "version_item" VALUES(1,1,0);
INSERT INTO "version_item" VALUES(1,2,1);
INSERT INTO "version_item" VALUES(1,3,2);
CREATE INDEX ix_agent_name ON agent (name);
CREATE UNIQUE INDEX uq_benchmark_version_label ON benchmark_version (benchmark_id, label) WHERE state <> 'superseded';
CREATE INDEX ix_observation_agent_id ON observation (agent_id);
CREATE INDEX ix_observation_agent_name ON observation (agent_name);
CREATE INDEX ix_observation_import_id ON observation (import_id);
CREATE INDEX ix_campaign_identity ON campaign (identity);
CREATE INDEX ix_campaign_import_id ON campaign (import_id);
CREATE INDEX ix_campaign_version_id ON campaign (version_id);
CREATE INDEX ix_item_revision_identity ON item_revision (identity);
CREATE INDEX ix_lifecycle_event_item_id ON lifecycle_event (item_id);
CREATE INDEX ix_campaign_agent_agent_id ON campaign_agent (agent_id);
CREATE INDEX ix_campaign_item_revision_id ON campaign_item (revision_id);
CREATE INDEX ix_cell_agent_id ON cell (agent_id);
CREATE INDEX ix_cell_revision_id ON cell (revision_id);
CREATE INDEX ix_version_item_revision_id ON version_item (revision_id);
CREATE INDEX ix_verdict_trial_id ON verdict (trial_id);
COMMIT;
